// The items of the protocol, one function each, in two files: what a run records, and what its models answer.
#pragma once
#include <string>

#include "reports/success.h"
#include "reports/view.h"

namespace lw {

// Of the run.
ProtocolItem position_entry(const View& view);
ProtocolItem lengths_recorded(const View& view);
ProtocolItem in_and_out_apart(const View& view);
ProtocolItem broken_down(const View& view);
ProtocolItem full_setting(const View& view);

// Of its models.
ProtocolItem evidence_places(const View& view);
ProtocolItem order_swap(const View& view);
ProtocolItem short_again(const View& view);
/// Of the suites that cover `key`.
ProtocolItem aspect(const View& view, const std::string& key, const std::string& text);

}  // namespace lw
