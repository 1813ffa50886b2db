// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/batch_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/page.h"
#include "sinew/core/text.h"
#include "sinew/report/report_json.h"

namespace sinew {
namespace {

constexpr std::size_t kResultsOnPage = 500;
constexpr const char* kCardStyle =
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(170px,1fr));gap:1rem}"
    "figure{margin:0;font-size:.8rem;overflow-wrap:anywhere}figure img{width:100%;aspect-ratio:1;"
    "object-fit:contain}figcaption{color:#5b6670}.failures td{text-align:left;vertical-align:top}"
    ".failures th{text-align:left}.none{aspect-ratio:1;background:#f4f6f8}";

// A path as an address: everything but letters, digits and a few signs is percent-encoded.
std::string address_of(const std::string& path) {
  std::string address;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/._-~").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

// A field of a table: quoted where it has to be.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string input_of(const BatchJob& job) {
  return job.args.empty() ? std::string() : job.args.front();
}

bool is_result(const JobReport& job) {
  return job.ended && job.outcome.exit == 0;
}

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string totals(const BatchReport& report) {
  double cpu = 0, wall = 0, peak = 0, slowest = 0;
  for (const JobReport& job : report.jobs) {
    if (!job.ended) continue;
    cpu += job.outcome.cpu_seconds;
    wall += job.outcome.seconds;
    slowest = std::max(slowest, job.outcome.seconds);
    peak = std::max(peak, job.outcome.peak_mb);
  }
  return fmt::format(
      "<div class=\"scroll\"><table><tr><th>jobs</th><th>done</th><th>failed</th><th>waiting</th><th>time of "
      "all jobs</th><th>CPU time</th><th>longest job</th><th>most "
      "memory</th></tr>\n<tr><td>{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.0f} MB</td></tr></table></div>\n",
      report.jobs.size(), report.done + report.skipped, report.failed, report.waiting, duration(wall),
      duration(cpu), duration(slowest), peak);
}

std::string failures(const BatchReport& report) {
  if (report.failed == 0) return {};
  std::string html =
      "<h2>Failures</h2>\n<div class=\"scroll\"><table "
      "class=\"failures\"><tr><th>line</th><th>verb</th><th>input</th><th>exit</th><th>attempts</th><th>"
      "message</th></tr>\n";
  for (const JobReport& job : report.jobs)
    if (job.ended && job.outcome.exit != 0)
      html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                          job.job.line, escaped(printable(job.job.verb)),
                          escaped(printable(input_of(job.job), 300)), job.outcome.exit, job.outcome.attempts,
                          escaped(printable(job.outcome.message, 1000)));
  return html + "</table></div>\n";
}

std::string card(const JobReport& job, const std::filesystem::path& folder) {
  const std::string picture = picture_name(job.job.out);
  std::error_code failure;
  const bool drawn = !picture.empty() && std::filesystem::exists(folder / picture, failure);
  const std::string name = escaped(printable(job.job.out, 300));
  std::string html = "<figure><a href=\"" + address_of(job.job.out) + "\">";
  html += drawn ? "<img loading=\"lazy\" src=\"" + address_of(picture) + "\" alt=\"" + name + "\">"
                : std::string("<div class=\"none\"></div>");
  html +=
      fmt::format("{}</a><figcaption>{:.1f} s, {:.0f} MB", name, job.outcome.seconds, job.outcome.peak_mb);
  if (!job.outcome.message.empty()) html += "<br>" + escaped(printable(job.outcome.message, 300));
  return html + "</figcaption></figure>\n";
}

std::string page_name(std::size_t page) {
  return page == 0 ? "index.html" : fmt::format("page-{}.html", page + 1);
}

std::string page_links(std::size_t pages, std::size_t here) {
  if (pages < 2) return {};
  std::string html = "<p class=\"note\">Results:";
  for (std::size_t k = 0; k < pages; ++k)
    html += k == here ? fmt::format(" <b>{}</b>", k + 1)
                      : fmt::format(" <a href=\"{}\">{}</a>", page_name(k), k + 1);
  return html + "</p>\n";
}

}  // namespace

std::string batch_table(const BatchReport& report) {
  std::string text = "line,verb,input,out,exit,seconds,cpu_seconds,peak_mb,attempts,message\n";
  for (const JobReport& job : report.jobs) {
    text += fmt::format("{},{},{},{},", job.job.line, csv_field(job.job.verb), csv_field(input_of(job.job)),
                        csv_field(job.job.out));
    if (job.ended)
      text += fmt::format("{},{:.3f},{:.3f},{:.1f},{},{}\n", job.outcome.exit, job.outcome.seconds,
                          job.outcome.cpu_seconds, job.outcome.peak_mb, job.outcome.attempts,
                          csv_field(job.outcome.message));
    else
      text += ",,,,,\n";
  }
  return text;
}

Result<void> save_batch_page(const BatchReport& report, const std::string& title,
                             const std::filesystem::path& folder) {
  std::vector<const JobReport*> results;
  for (const JobReport& job : report.jobs)
    if (is_result(job)) results.push_back(&job);
  const std::size_t pages = std::max<std::size_t>(1, (results.size() + kResultsOnPage - 1) / kResultsOnPage);
  for (std::size_t page = 0; page < pages; ++page) {
    std::string html = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>{1}{2}"
        "</style></head><body>\n<h1>{0}</h1>\n",
        escaped(printable(title, 300)), kPageStyle, kCardStyle);
    if (page == 0) html += totals(report) + failures(report);
    html += "<h2>Results</h2>\n" + page_links(pages, page) + "<div class=\"cards\">\n";
    for (std::size_t k = page * kResultsOnPage; k < std::min(results.size(), (page + 1) * kResultsOnPage);
         ++k)
      html += card(*results[k], folder);
    html += "</div>\n" + page_links(pages, page) +
            "<p class=\"note\">All figures: <a href=\"table.csv\">table.csv</a>, <a "
            "href=\"report.json\">report.json</a></p>\n</body></html>\n";
    SINEW_CHECK(write_file(folder / page_name(page), html, Overwrite::kYes));
  }
  SINEW_CHECK(write_file(folder / "table.csv", batch_table(report), Overwrite::kYes));
  const std::string document =
      to_json(report).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return write_file(folder / "report.json", document, Overwrite::kYes);
}

Result<BatchReport> gather_batch_with_page(std::span<const BatchJob> jobs, const std::string& title,
                                           const std::filesystem::path& folder) {
  return gather_batch(jobs, folder,
                      [&](const BatchReport& all) { return save_batch_page(all, title, folder); });
}

Result<void> check_batch_folder(const std::filesystem::path& folder, Overwrite overwrite) {
  std::error_code failure;
  if (overwrite == Overwrite::kYes || std::filesystem::exists(folder / "_batch", failure)) return {};
  for (const char* name : {"index.html", "table.csv", "report.json"})
    if (std::filesystem::exists(folder / name, failure)) return exists_already(folder / name);
  return {};
}

Result<BatchReport> run_batch_with_page(std::span<const BatchJob> jobs, const std::string& title,
                                        const BatchOptions& options) {
  SINEW_CHECK(check_batch_folder(options.folder, options.overwrite));
  SINEW_TRY(BatchReport report, run_batch(jobs, options));
  if (const auto page = gather_batch_with_page(jobs, title, options.folder); !page) return page.error();
  return report;
}

}  // namespace sinew
