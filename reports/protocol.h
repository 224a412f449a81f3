// Whether a run answers the questions that a claim about longer contexts has to answer.
#pragma once
#include <vector>

#include "reports/index.h"

namespace lw {

std::vector<ProtocolItem> check_protocol(const Manifest& manifest, const RecordIndex& index,
                                         const std::vector<Cell>& cells, const std::vector<Comparison>& comparisons);

}  // namespace lw
