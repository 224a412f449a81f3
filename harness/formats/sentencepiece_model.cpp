#include "harness/formats/sentencepiece_model.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/formats/file_kind.h"

namespace lw {
namespace {

using SpModel = SentencePieceModel;

/// The fields of one message of a protocol buffer, in the order of the file.
class ProtoFields {
 public:
  struct Field {
    uint64_t number = 0;
    uint64_t value = 0;      // of wire types 0, 1 and 5
    std::string_view bytes;  // of wire type 2
    uint32_t wire = 0;
  };

  ProtoFields(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  /// False at the end.
  bool next(Field& out) {
    if (at_ == bytes_.size()) return false;
    const uint64_t tag = varint();
    out = {tag >> 3, 0, {}, static_cast<uint32_t>(tag & 7U)};
    if (out.number == 0) fail_proto();
    switch (out.wire) {
      case 0:
        out.value = varint();
        break;
      case 1:
        out.value = fixed(8);
        break;
      case 2: {
        const uint64_t size = varint();
        if (size > bytes_.size() - at_) fail_proto();
        out.bytes = bytes_.substr(at_, size);
        at_ += size;
        break;
      }
      case 5:
        out.value = fixed(4);
        break;
      default:
        fail_proto();
    }
    return true;
  }

  [[noreturn]] void fail_proto() const {
    throw Error(
        ErrorKind::kInput,
        place_ + ": " + found_what("no SentencePiece model").allowed("a protocol buffer with pieces and scores"));
  }

 private:
  uint64_t varint() {
    uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) fail_proto();
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      out |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return out;
    }
    fail_proto();
  }
  uint64_t fixed(size_t size) {
    if (size > bytes_.size() - at_) fail_proto();
    uint64_t out = 0;
    for (size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += size;
    return out;
  }

  std::string_view bytes_;
  const std::string& place_;
  size_t at_ = 0;
};

/// A field must have the wire type of its number.
void require_wire(const ProtoFields& fields, const ProtoFields::Field& field, uint32_t wire) {
  if (field.wire != wire) fields.fail_proto();
}

SpModel::Piece parse_piece(std::string_view bytes, const std::string& place, size_t index) {
  ProtoFields fields(bytes, place);
  SpModel::Piece out;
  for (ProtoFields::Field field; fields.next(field);) {
    if (field.number == 1) {
      require_wire(fields, field, 2);
      out.text = std::string(field.bytes);
    } else if (field.number == 2) {
      require_wire(fields, field, 5);
      out.score = std::bit_cast<float>(static_cast<uint32_t>(field.value));
    } else if (field.number == 3) {
      require_wire(fields, field, 0);
      if (field.value < 1 || field.value > 6)
        throw Error(ErrorKind::kInput,
                    text(place, ": pieces[", index, "]: type: ", found(field.value).allowed("1 to 6")));
      out.type = static_cast<SpModel::Type>(field.value);
    }
  }
  return out;
}

/// What the trainer wrote down of itself, as far as encoding needs it.
struct TrainerSpec {
  std::string bos = "<s>", eos = "</s>";
  int64_t bos_id = 1, eos_id = 2;
};

void parse_trainer(std::string_view bytes, const std::string& place, SpModel& out, TrainerSpec& trainer) {
  ProtoFields fields(bytes, place);
  for (ProtoFields::Field field; fields.next(field);) {
    const auto id = static_cast<int64_t>(field.value);
    switch (field.number) {
      case 3:
        if (field.value < 1 || field.value > 4)
          throw Error(ErrorKind::kInput, place + ": trainer_spec.model_type: " + found(field.value).allowed("1 to 4"));
        out.kind = static_cast<SpModel::Kind>(field.value);
        break;
      case 24:
        out.whitespace_as_suffix = field.value != 0;
        break;
      case 35:
        out.byte_fallback = field.value != 0;
        break;
      case 41:
        trainer.bos_id = id;
        break;
      case 42:
        trainer.eos_id = id;
        break;
      case 46:
        trainer.bos = std::string(field.bytes);
        break;
      case 47:
        trainer.eos = std::string(field.bytes);
        break;
      default:
        break;
    }
  }
}

/// @param decoding the rules for text that is decoded, of which only their being there counts.
void parse_normalizer(std::string_view bytes, const std::string& place, bool decoding, SpModel& out) {
  ProtoFields fields(bytes, place);
  for (ProtoFields::Field field; fields.next(field);) {
    if (decoding) {
      out.changes_decoded_text = out.changes_decoded_text || (field.number == 2 && !field.bytes.empty());
      continue;
    }
    if (field.number == 2) out.charsmap = std::string(field.bytes);
    if (field.number == 3) out.add_dummy_prefix = field.value != 0;
    if (field.number == 4) out.remove_extra_whitespaces = field.value != 0;
    if (field.number == 5) out.escape_whitespaces = field.value != 0;
  }
}

/// The id of a control piece; absent where the trainer had none, which it says with an id below 0.
std::optional<uint32_t> control_piece(const SpModel& model, const std::string& text, int64_t id) {
  if (id < 0) return std::nullopt;
  for (size_t i = 0; i < model.pieces.size(); ++i)
    if (model.pieces[i].text == text && model.pieces[i].type == SpModel::Type::kControl)
      return static_cast<uint32_t>(i);
  return std::nullopt;
}

/// What the library checks when it loads a model.
void check_pieces(SpModel& model, const std::string& place) {
  std::set<std::string_view> normal, reserved;
  size_t unknown = 0, bytes = 0;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const auto& piece = model.pieces[i];
    const auto refuse = [&](const std::string& what) {
      throw Error(ErrorKind::kInput, text(place, ": pieces[", i, "]: ", what));
    };
    if (piece.text.empty()) refuse(found_what("an empty piece").allowed("text"));
    if (!std::isfinite(piece.score)) refuse(found_what("a score that is not finite").allowed("numbers"));
    const bool is_reserved = piece.type == SpModel::Type::kUnknown || piece.type == SpModel::Type::kControl ||
                             piece.type == SpModel::Type::kByte;
    if (!(is_reserved ? reserved : normal).insert(piece.text).second)
      refuse(found(printable(piece.text), " twice").allowed("once"));
    if (piece.type == SpModel::Type::kUnknown) {
      model.unknown = static_cast<uint32_t>(i);
      ++unknown;
    }
    if (piece.type != SpModel::Type::kByte) continue;
    if (!model.byte_fallback)
      refuse(found(printable(piece.text), ", a byte, in a model without byte_fallback").allowed("other pieces"));
    ++bytes;
  }
  if (unknown != 1)
    throw Error(ErrorKind::kInput, text(place, ": pieces: ", found(unknown, " pieces of type UNKNOWN").allowed("one")));
  if (model.byte_fallback && bytes != 256)
    throw Error(ErrorKind::kInput,
                text(place, ": pieces: ", found(bytes, " byte pieces").allowed("256, since byte_fallback is set")));
}

}  // namespace

SentencePieceModel parse_sentencepiece_model(std::string_view bytes, const std::string& place) {
  if (const std::string kind = recognised_kind(std::as_bytes(std::span(bytes))); !kind.empty())
    throw Error(ErrorKind::kInput, place + ": found " + kind);
  ProtoFields fields(bytes, place);
  SpModel out;
  TrainerSpec trainer;
  for (ProtoFields::Field field; fields.next(field);) {
    if (field.number >= 1 && field.number <= 5) require_wire(fields, field, 2);
    if (field.number == 1) out.pieces.push_back(parse_piece(field.bytes, place, out.pieces.size()));
    if (field.number == 2) parse_trainer(field.bytes, place, out, trainer);
    if (field.number == 3 || field.number == 5) parse_normalizer(field.bytes, place, field.number == 5, out);
  }
  if (out.pieces.empty()) fields.fail_proto();
  check_pieces(out, place);
  out.bos = control_piece(out, trainer.bos, trainer.bos_id);
  out.eos = control_piece(out, trainer.eos, trainer.eos_id);
  return out;
}

}  // namespace lw
