// Exit codes beside those of errors (error.h).
#pragma once

namespace lw {

constexpr int kExitDisagrees = 3, kExitRegression = 4, kExitStopped = 5, kExitInterrupted = 130;

}  // namespace lw
