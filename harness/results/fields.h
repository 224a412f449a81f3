// How a struct lists its keys once, for writing and for reading: fields(io, value) calls io(key, member) for each.
#pragma once
#include <type_traits>

namespace lw {

/// Takes a Struct by reference, const or not: void fields(auto& io, FieldsOf<Cost> auto& cost).
template <class T, class Struct>
concept FieldsOf = std::is_same_v<std::remove_cvref_t<T>, Struct>;

}  // namespace lw
