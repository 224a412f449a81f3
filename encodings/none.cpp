// NoPE: no positional signal but the causal mask.
// Haviv et al. 2022, arXiv:2203.16634; Kazemnejad et al. 2023, "The Impact of Positional Encoding on Length
// Generalization in Transformers", arXiv:2305.19466.
#include "encodings/none.h"

namespace lw {

extern const EncodingInfo none_encoding{
    .name = "none",
    .summary = "no position signal; only the causal mask tells order",
    .paper = "Kazemnejad et al. 2023, arXiv:2305.19466",
    .golden = "no numbers: permutation equivariance, and the logits of plain attention",
    .read = [](ConfigNode&, const ModelShape&) -> MakeEncoding { return maker_of<NoPositions>(); },
};

}  // namespace lw
