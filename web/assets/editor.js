// A place to try a statement, with completion of relations, columns and words. Ctrl-Enter runs it, Tab completes, Escape leaves.
import { el } from "./draw.js";
import { post, rowsTable } from "./rows.js";

const words = ["SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "JOIN", "LEFT JOIN", "ON", "AS", "AND", "OR", "NOT", "NULL", "IS", "IN", "DISTINCT", "COUNT(*)", "SUM(", "MIN(", "MAX(", "AVG(",
  "WINDOW TUMBLING(", "WINDOW HOPPING(", "WINDOW SESSION(", "EMIT FINAL", "EMIT CHANGES", "LIMIT", "ORDER BY", "SHOW STREAMS", "SHOW TABLES", "SHOW QUERIES", "SHOW STATUS", "DESCRIBE", "EXPLAIN", "EXPLAIN ANALYZE"];

export function editor() {
  const text = el("textarea", { "aria-label": "SQL", spellcheck: "false", autocapitalize: "off", placeholder: "SELECT * FROM … LIMIT 100" });
  const options = el("ul", { class: "options", role: "listbox", hidden: true });
  const start = el("select", { "aria-label": "where a SELECT begins" }, el("option", { value: "earliest" }, "from the beginning"), el("option", { value: "latest" }, "from now on"));
  const run = el("button", { type: "button" }, "Run (Ctrl-Enter)");
  const halt = el("button", { type: "button", disabled: true }, "Stop");
  const result = el("div");
  const node = el("div", {}, text, options, el("p", {}, run, halt, start), result);
  let names = [], found = [], at = 0, stop = () => {};

  fetch("api/v1/catalog").then((a) => a.json()).then((relations) => {
    names = [...new Set(relations.flatMap((r) => [r.name, ...r.columns.map((c) => c.name)]))];
  });

  // prefix is the word before the cursor.
  const prefix = () => /[\p{L}\p{N}_]*$/u.exec(text.value.slice(0, text.selectionStart))[0];
  const offer = () => {
    const p = prefix().toLowerCase();
    found = p === "" ? [] : [...names, ...words].filter((w) => w.toLowerCase().startsWith(p) && w.toLowerCase() !== p).slice(0, 12);
    at = 0;
    list();
  };
  const list = () => {
    options.hidden = found.length === 0;
    options.replaceChildren(...found.map((w, i) => {
      const li = el("li", { role: "option", "aria-selected": String(i === at) }, w);
      li.addEventListener("mousedown", (e) => { e.preventDefault(); at = i; take(); });
      return li;
    }));
  };
  const take = () => {
    const end = text.selectionStart;
    text.setRangeText(found[at], end - prefix().length, end, "end");
    found = [];
    list();
  };
  const go = () => {
    stop();
    const table = rowsTable();
    result.replaceChildren(table.node);
    halt.disabled = false;
    stop = post({ sql: text.value, start: start.value }, table, () => { halt.disabled = true; });
  };

  text.addEventListener("input", offer);
  text.addEventListener("blur", () => { found = []; list(); });
  text.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); go(); return; }
    if (found.length === 0) return;
    if (e.key === "Tab") { e.preventDefault(); take(); }
    else if (e.key === "ArrowDown") { e.preventDefault(); at = (at + 1) % found.length; list(); }
    else if (e.key === "ArrowUp") { e.preventDefault(); at = (at + found.length - 1) % found.length; list(); }
    else if (e.key === "Escape") { e.preventDefault(); found = []; list(); }
  });
  run.addEventListener("click", go);
  halt.addEventListener("click", () => stop());
  return { node, stop: () => stop() };
}
