#include "encodings/rope_scaling/declared_length.h"

#include <utility>

namespace lw {
namespace {

class DeclaredLength final : public RopeScaling {
 public:
  DeclaredLength(std::unique_ptr<RopeScaling> inner, int64_t length) : inner_(std::move(inner)), length_(length) {}

  std::string_view name() const override { return inner_->name(); }
  bool spans_head() const override { return inner_->spans_head(); }
  RopeTable table(const RopeBasis& basis, int64_t) const override { return inner_->table(basis, length_); }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    auto out = inner_->derived(basis, length_);
    out.push_back({"declared_length", double(length_)});
    return out;
  }

 private:
  std::unique_ptr<RopeScaling> inner_;
  int64_t length_;
};

}  // namespace

std::unique_ptr<RopeScaling> at_declared_length(std::unique_ptr<RopeScaling> scaling, int64_t length) {
  return std::make_unique<DeclaredLength>(std::move(scaling), length);
}

}  // namespace lw
