#include <cstdio>
#include <memory>
#include <system_error>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "reports/run_index.h"

namespace lw {
namespace {

constexpr const char* kPage = "index.html";
constexpr const char* kMaker = "Written by <code>lengthwise index</code>";  // stands on every page of this command

struct IndexOptions {
  std::string folder;
  bool json = false;
};

/// A page of the user's own stays. @throws Error(kUsage).
void require_own_page(const std::filesystem::path& page) {
  std::error_code ignored;
  if (!std::filesystem::exists(page, ignored) || read_file(page).find(kMaker) != std::string::npos) return;
  throw Error(ErrorKind::kUsage,
              page.string() + ": " +
                  found_what("a page that this command did not write").allowed("one that it wrote, or none"));
}

int index_folder(const IndexOptions& o) {
  const RunIndex index = index_runs(o.folder);
  if (o.json) {
    std::fputs(run_index_json(index).c_str(), stdout);
  } else {
    const auto page = index.folder / kPage;
    require_own_page(page);
    write_file(page, run_index_html(index));
    std::fputs(run_index_terminal(index, color_on_stdout()).c_str(), stdout);
    std::printf("\nindex: %s\n", visible(page.string()).c_str());
  }
  if (index.readable() > 0) return 0;
  throw Error(ErrorKind::kInput, text(index.folder.string(), ": ", plural(std::ssize(index.runs), "run folder"),
                                      ", and none could be read"));
}

}  // namespace

void add_index(Command& program) {
  auto o = std::make_shared<IndexOptions>();
  Command command = program.command("index", "list the runs below a folder, in the terminal and as a page");
  command.option("dir", o->folder, "folder of runs").required();
  command.flag("--json", o->json, "print JSON instead, and write no page");
  command.footer(
      text("A run is a folder with a summary.json. It is looked for in DIR and at most ", kIndexDepth,
           " folders deep; folders\nwhose name begins with a dot, and symbolic links, are not searched. DIR/index.html "
           "links to every report.html. A run\nthat cannot be read is listed with the reason. `lengthwise diff` "
           "compares runs.\n\n"
           "  lengthwise index runs\n"
           "  lengthwise index runs --json | jq '.runs[] | [.folder, .verdict[0].headline]'"));
  command.runs([o] { return index_folder(*o); });
}

}  // namespace lw
