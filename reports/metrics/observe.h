// Observations from records, for the files of the metrics.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "reports/metrics/metric.h"

namespace lw {

Observation of_record(const Record& record, double value);
Observation of_target(const Record& record, const TargetScore& target, double value);

/// One observation a record that has `answer`: 1 where it is right.
std::vector<Observation> observe_answers(std::span<const Record* const> records, std::optional<bool> Record::*answer);
/// One observation a complete pair, ordered by the first probe's place; pairs without a value are left out.
std::vector<Observation> observe_pairs(
    std::span<const Record* const> records,
    const std::function<std::optional<double>(const Record& first, const Record& second)>& value);

}  // namespace lw
