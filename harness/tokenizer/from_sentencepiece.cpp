#include "harness/tokenizer/from_sentencepiece.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/tokenizer/bpe.h"
#include "harness/tokenizer/byte_tokens.h"
#include "harness/tokenizer/sentencepiece_normalizer.h"
#include "harness/tokenizer/unicode.h"
#include "harness/tokenizer/unigram.h"

namespace lw {
namespace {

using PieceType = SentencePieceModel::Type;

bool is_reserved(PieceType type) { return type == PieceType::kUnknown || type == PieceType::kControl; }

/// Cuts out the pieces that a user defined, the longest first, and leaves the text between them to a model.
class UserDefinedFirst : public TokenModel {
 public:
  UserDefinedFirst(std::unique_ptr<TokenModel> model, ByteTrie user_defined)
      : TokenModel(model->table()), model_(std::move(model)), user_defined_(std::move(user_defined)) {}

  std::optional<uint32_t> unknown() const override { return model_->unknown(); }

  void encode(std::string_view piece, bool parse_special, std::vector<PieceToken>& tokens) const override {
    size_t from = 0;
    const auto flush = [&](size_t to) {
      if (from == to) return;
      const size_t first = tokens.size();
      model_->encode(piece.substr(from, to - from), parse_special, tokens);
      for (size_t i = first; i < tokens.size(); ++i) {
        tokens[i].begin += static_cast<uint32_t>(from);
        tokens[i].end += static_cast<uint32_t>(from);
      }
    };
    for (size_t at = 0; at < piece.size();) {
      size_t end = 0;
      if (const auto id = user_defined_.longest(piece, at, end)) {
        flush(at);
        tokens.push_back({*id, static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
        from = at = end;
      } else {
        next_code_point(piece, at);
      }
    }
    flush(piece.size());
  }

 private:
  std::unique_ptr<TokenModel> model_;
  ByteTrie user_defined_;
};

class SentencePieceReader {
 public:
  SentencePieceReader(const SentencePieceModel& model, const std::string& place) : model_(model), place_(place) {}

  TokenizerParts read() {
    check_texts();
    ByteTrie user_defined;
    bool any_user_defined = false;
    std::vector<AddedToken> special;
    for (uint32_t id = 0; id < model_.pieces.size(); ++id) {
      const auto& piece = model_.pieces[id];
      if (piece.type == PieceType::kUserDefined) {
        user_defined.add(piece.text, id);
        any_user_defined = true;
      }
      if (is_reserved(piece.type)) {
        AddedToken token;
        token.id = id;
        token.content = piece.text;
        token.special = true;
        special.push_back(std::move(token));
      }
    }
    parts_.added = AddedTokens(std::move(special), nullptr);
    parts_.normalizer = sentencepiece_normalizer(model_, user_defined, place_);
    parts_.decoder = decode_sentencepiece(
        sentencepiece_blank(model_),
        (model_.add_dummy_prefix || model_.remove_extra_whitespaces) && !model_.whitespace_as_suffix);
    switch (model_.kind) {
      case SentencePieceModel::Kind::kUnigram:
        parts_.model = unigram();
        break;
      case SentencePieceModel::Kind::kBpe:
        parts_.model = bpe();
        if (any_user_defined)
          parts_.model = std::make_unique<UserDefinedFirst>(std::move(parts_.model), std::move(user_defined));
        break;
      default:
        throw Error(ErrorKind::kInput,
                    place_ + ": trainer_spec.model_type: " +
                        found_what(model_.kind == SentencePieceModel::Kind::kWord ? "a model of words"
                                                                                  : "a model of characters")
                            .allowed("unigram, BPE"));
    }
    if (model_.bos) parts_.bos = *model_.bos;
    if (model_.eos) parts_.eos = *model_.eos;
    if (model_.changes_decoded_text)
      parts_.notes.push_back("denormalizer_spec is left out: decoded text is as the pieces spell it");
    return std::move(parts_);
  }

 private:
  void check_texts() const {
    for (size_t i = 0; i < model_.pieces.size(); ++i) {
      const auto& piece = model_.pieces[i];
      if (find_invalid_utf8(piece.text) != std::string::npos)
        throw Error(ErrorKind::kInput,
                    text(place_, ": pieces[", i, "]: found bytes that are not UTF-8; allowed: UTF-8"));
      if (piece.type == PieceType::kByte && !byte_of_token(piece.text))
        throw Error(
            ErrorKind::kInput,
            text(place_, ": pieces[", i, "]: ", found(piece.text, ", whose type is BYTE").allowed("<0x00> to <0xFF>")));
      if (piece.type == PieceType::kUnused && model_.kind == SentencePieceModel::Kind::kBpe)
        throw Error(ErrorKind::kInput,
                    text(place_, ": pieces[", i,
                         "]: ", found(piece.text, ", whose type is UNUSED").allowed("pieces in use, in a BPE model")));
    }
  }

  /// The model can choose only pieces of the types that `findable` accepts.
  template <class Findable>
  TokenTable table(Findable findable) const {
    TokenTable out;
    for (uint32_t id = 0; id < model_.pieces.size(); ++id) {
      const auto& piece = model_.pieces[id];
      const bool is_new = !findable(piece.type) || !out.find(piece.text);
      out.add(piece.text, id, findable(piece.type));
      if (!is_new)
        throw Error(ErrorKind::kInput, text(place_, ": pieces[", id,
                                            "]: ", found(piece.text, " as a byte and as text").allowed("one of them")));
    }
    return out;
  }

  std::unique_ptr<TokenModel> unigram() const {
    UnigramOptions options;
    options.unknown = model_.unknown;
    options.byte_fallback = model_.byte_fallback;
    auto& sp = options.sentencepiece.emplace();
    sp.worst = std::numeric_limits<float>::max();
    std::vector<double> scores;
    for (uint32_t id = 0; id < model_.pieces.size(); ++id) {
      const auto& piece = model_.pieces[id];
      scores.push_back(double{piece.score});
      if (piece.type == PieceType::kUserDefined) sp.user_defined.insert(id);
      if (piece.type == PieceType::kByte) sp.bytes.insert(id);
      if (piece.type == PieceType::kNormal) sp.worst = std::min(sp.worst, piece.score);
    }
    const auto findable = [](PieceType t) { return !is_reserved(t) && t != PieceType::kUnused; };
    return make_unigram(table(findable), scores, options, place_);
  }

  std::unique_ptr<TokenModel> bpe() const {
    BpeOptions options;
    options.unknown = model_.unknown;
    options.byte_fallback = model_.byte_fallback;
    options.fuse_unknown = true;
    std::vector<float> scores;
    for (const auto& piece : model_.pieces) scores.push_back(piece.score);
    const auto findable = [](PieceType t) { return t == PieceType::kNormal || t == PieceType::kByte; };
    return make_scored_bpe(table(findable), scores, options, place_);
  }

  const SentencePieceModel& model_;
  const std::string& place_;
  TokenizerParts parts_;
};

}  // namespace

TokenizerParts read_sentencepiece(const SentencePieceModel& model, const std::string& place) {
  return SentencePieceReader(model, place).read();
}

TokenizerParts read_sentencepiece_file(const std::filesystem::path& path) {
  const std::string place = path.string();
  return read_sentencepiece(parse_sentencepiece_model(read_file(path), place), place);
}

}  // namespace lw
