#include "suites/suite.h"

namespace lw {
namespace {

class BoundSymbols final : public BoundSuite {
 public:
  BoundSymbols(const SymbolSuite& suite, const Vocabulary& vocabulary)
      : BoundSuite(suite), suite_(suite), vocabulary_(vocabulary) {}

  Probe make(const ProbeRequest& request) const override { return suite_.make(request, vocabulary_); }

 private:
  const SymbolSuite& suite_;
  Vocabulary vocabulary_;
};

}  // namespace

int64_t BoundSuite::min_length() const { return suite_.min_length(); }

void BoundSuite::check_length(int64_t length) const { suite_.check_length(length); }

std::unique_ptr<BoundSuite> SymbolSuite::bind(const Vocabulary& vocabulary, const ProbeRange&) const {
  return std::make_unique<BoundSymbols>(*this, vocabulary);
}

}  // namespace lw
