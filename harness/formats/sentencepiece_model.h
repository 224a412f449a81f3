// SentencePiece's .model files (Kudo and Richardson 2018, arXiv 1808.06226): a protocol buffer with pieces, their
// scores, and how text is normalised. The field numbers are those of sentencepiece_model.proto.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

struct SentencePieceModel {
  enum class Kind { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };
  enum class Type { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    Type type = Type::kNormal;
  };

  Kind kind = Kind::kUnigram;
  std::vector<Piece> pieces;  // by id
  uint32_t unknown = 0;       // the id of the one piece of that type
  std::optional<uint32_t> bos, eos;
  bool byte_fallback = false;
  bool whitespace_as_suffix = false;     // the mark of a blank stands behind a word
  std::string charsmap;                  // "": text stays as it is
  bool add_dummy_prefix = true;          // a blank is put before the text
  bool remove_extra_whitespaces = true;  // at both ends, and all but one in a run
  bool escape_whitespaces = true;        // a blank becomes U+2581
  bool changes_decoded_text = false;     // there is a map for decoding, too
};

/// @throws Error(kInput): "PLACE: pieces[3]: found …; allowed: …" for what is no such file, and for what the library
/// refuses to load.
SentencePieceModel parse_sentencepiece_model(std::string_view bytes, const std::string& place);

}  // namespace lw
