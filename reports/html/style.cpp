#include "reports/html/style.h"

#include "reports/figures/palette.h"

namespace lw {
namespace {

constexpr const char* kLightColors =
    ":root{color-scheme:light dark;--fg:#1c1c1e;--mut:#62626a;--line:#dedee3;--bg:#fff;--soft:#f4f4f7;--ok:#00724f;"
    "--bad:#b3261e;--warn:#8a5a00}";
constexpr const char* kDarkColors =
    ":root{--fg:#ececf0;--mut:#a3a3ab;--line:#3a3a41;--bg:#17171a;--soft:#212126;--ok:#4cc39a;--bad:#ff8a80;"
    "--warn:#f0b860}";

constexpr const char* kLayout = R"(*{box-sizing:border-box}
html{scroll-padding-top:52px}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans KR",sans-serif;font-variant-numeric:tabular-nums}
header,main,nav,footer{max-width:1132px;margin:auto;padding-left:24px;padding-right:24px}
header{padding-top:30px}
.brand{font-size:12px;letter-spacing:.08em;color:var(--mut)}
h1{font-size:27px;line-height:1.2;margin:2px 0 6px;letter-spacing:-.01em;overflow-wrap:anywhere}
.sub{margin:0;max-width:none;color:var(--mut)}.sub b{color:var(--fg)}
nav{display:flex;gap:4px 18px;flex-wrap:wrap;position:sticky;top:0;background:var(--bg);border-bottom:1px solid var(--line);padding-top:12px;padding-bottom:9px;z-index:1}
nav a{color:var(--mut);text-decoration:none;font-size:13.5px}nav a:hover,nav a:focus{color:var(--fg);text-decoration:underline}
section{padding:26px 0 6px}
h2{font-size:19px;line-height:1.3;margin:0 0 6px}h3{font-size:15.5px;margin:22px 0 2px}h3:first-of-type{margin-top:10px}
small{font-weight:400;color:var(--mut);font-size:12.5px}
p{margin:4px 0 10px;max-width:78ch}.lead{color:var(--mut)}
.verdict{display:grid;grid-template-columns:minmax(0,1fr) 312px;gap:4px 36px;align-items:start}
.verdict h2{grid-column:1/-1}
.claims{margin:0;padding:0;list-style:none}.claims li{padding:8px 0 8px 26px;position:relative;max-width:76ch}
.claims li:before{position:absolute;left:2px;font-weight:700}
.good:before{content:"\2713";color:var(--ok)}.bad:before{content:"\2715";color:var(--bad)}.price:before{content:"\2212";color:var(--warn)}.note:before{content:"i";color:var(--mut)}
.protocol{background:var(--soft);border-radius:8px;padding:14px 18px;font-size:13px;line-height:1.45}
.protocol h3{margin:0 0 6px;font-size:14px}.protocol ol{margin:0;padding:0;list-style:none}
.protocol li{padding:3px 0 3px 20px;position:relative}.protocol li:before{position:absolute;left:0}
.protocol li span{display:block;color:var(--mut);font-size:12px}
.yes:before{content:"\2713";color:var(--ok)}.no:before{content:"\2715";color:var(--bad)}.in_part:before{content:"~";color:var(--warn)}.too_few:before{content:"?";color:var(--warn)}.not_asked:before{content:"\25CB";color:var(--warn)}.not_asked{color:var(--mut)}
.two{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:10px 28px;align-items:start}
.flow{display:flex;flex-wrap:wrap;gap:6px 34px;align-items:flex-start}.flow figure{max-width:100%}
figure{margin:8px 0 4px;min-width:0}figcaption{font-size:13px;color:var(--mut)}
figure.alone{max-width:780px}.heat{overflow-x:auto}
svg{display:block;width:100%;height:auto;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
.heat svg{width:auto;max-width:none}
.scroll{overflow-x:auto;margin:8px 0}
table{border-collapse:collapse;font-size:13.5px;line-height:1.4}
caption{text-align:left;color:var(--mut);font-size:13px;padding-bottom:4px}
th,td{text-align:right;padding:5px 14px 5px 0;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
th:first-child,td:first-child,td.text,th.text{text-align:left}
thead th{color:var(--mut);font-size:12.5px;vertical-align:bottom}tbody th{color:var(--fg)}
td b{font-weight:600}td i{font-style:normal;color:var(--mut);font-size:12px}
tr.group th{color:var(--mut);font-size:12.5px;padding-top:12px;text-align:left}
td.wrap{white-space:normal;min-width:9em;overflow-wrap:anywhere}.legend{color:var(--mut);font-size:13px;margin:2px 0}
caption b,th a{color:var(--fg)}tr:has(.wrap)>*{vertical-align:top}
td.out,th.out{background:var(--soft);padding-left:10px}td.na{color:var(--mut);font-size:12.5px;text-align:left}
.worse{color:var(--bad)}.better{color:var(--ok)}.warn{color:var(--warn)}
.dot{display:inline-block;width:9px;height:9px;border-radius:2px;margin-right:8px;vertical-align:1px}
details{border-top:1px solid var(--line);padding:7px 0}details.plain{border:0;padding:0 0 6px}
summary{cursor:pointer;font-weight:600}.plain>summary{font-weight:400;color:var(--mut);font-size:13px}
summary small{margin-left:8px}
.card{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:4px 32px}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:3px 20px;margin:8px 0 8px 17px;font-size:13.5px;align-content:start}
dt{color:var(--mut)}dd{margin:0;overflow-wrap:anywhere}
.agrees{color:var(--ok);font-size:12.5px;margin-left:6px}.disagrees{color:var(--bad);font-weight:600;font-size:12.5px;margin-left:6px}
pre{background:var(--soft);padding:10px 14px;border-radius:8px;overflow:auto;font-size:12.5px;line-height:1.5;margin:8px 0}
footer{color:var(--mut);font-size:12.5px;padding-top:20px;padding-bottom:40px;border-top:1px solid var(--line);margin-top:26px}
footer p{max-width:96ch}
@media screen and (max-width:820px){.verdict,.two,.card{grid-template-columns:minmax(0,1fr)}header,main,nav,footer{padding-left:16px;padding-right:16px}nav{position:static}}
@media screen and (max-width:480px){body{font-size:14.5px}h1{font-size:23px}dl{grid-template-columns:minmax(0,1fr);margin-left:0}dt{margin-top:6px}th,td{padding-right:10px}}
@page{size:A4;margin:13mm 12mm 14mm}
@media print{nav{display:none}body{font-size:9.5pt;line-height:1.45}h1{font-size:19pt}h2{font-size:13pt}h3{font-size:10.5pt}small,.legend,figcaption,caption,.plain>summary{font-size:8.5pt}.protocol{font-size:8.5pt}.protocol h3{font-size:9.5pt}.protocol li span,footer{font-size:8pt}
header,main,footer{max-width:none;padding-left:0;padding-right:0}header{padding-top:0}section{padding:12px 0 2px}p,.claims li{max-width:none}
figure,tr,li,dt,dd{break-inside:avoid}h2,h3,figcaption,summary,caption,dt{break-after:avoid}.lead,.legend{break-before:avoid}
.verdict{display:block}.protocol{margin-top:10px;-webkit-box-decoration-break:clone;box-decoration-break:clone}.protocol,.dot,td.out,th.out,pre{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.two{gap:6px 18px}figure.alone{max-width:66%}.flow svg{max-width:100%}
.scroll,.heat{overflow:visible}table{font-size:8pt}thead{display:table-header-group}thead th,thead small,td i,td.na,tr.group th{font-size:7.5pt}
th,td{padding:3px 8px 3px 0;white-space:normal}td.wrap{min-width:5em}td i{white-space:nowrap}
summary{list-style:none}summary::-webkit-details-marker{display:none}.card{display:block}dl{font-size:8.5pt}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:8pt}a{color:inherit}footer{margin-top:12px;padding-top:8px;padding-bottom:0}}
)";

}  // namespace

std::string page_css() {
  return std::string(kLightColors) + figure_css(false) + kLayout + "@media screen and (prefers-color-scheme:dark){" +
         kDarkColors + figure_css(true) + "}";
}

}  // namespace lw
