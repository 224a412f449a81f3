// What the check of training measures, with any way of training.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "harness/selfcheck/finding.h"

namespace lw {

class Transformer;

/// Trains three times, once alone and twice at the same time on two threads. Adds every tensor of weights, as good
/// where it has the same bytes each time.
void add_trainings(const std::string& name, const std::function<std::shared_ptr<Transformer>()>& trained,
                   FaultCount& found);

}  // namespace lw
