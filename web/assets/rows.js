// Rows as they come: the newest on top, at most a thousand, and how many of how many are shown.
import { el, number } from "./draw.js";

const most = 1000;

// rowsTable is a table that takes the events of a stream of rows.
export function rowsTable() {
  const head = el("tr"), body = el("tbody");
  const said = el("p", { class: "dim", role: "status" }, "waiting for rows…");
  const node = el("div", {}, said, el("div", { class: "rows", tabindex: 0 }, el("table", {}, el("thead", {}, head), body)));
  let columns = [], shown = 0, came = 0;
  return {
    node,
    columns(data) {
      columns = data.columns.map((c) => c.name);
      head.replaceChildren(...data.columns.map((c) => el("th", { title: c.type }, c.name)));
    },
    rows(data) {
      const gone = new Set(data.deleted ?? []);
      const lines = data.rows.map((r, i) => el("tr", { class: gone.has(i) ? "gone" : "" }, ...columns.map((c) => el("td", {}, text(r[c])))));
      body.prepend(...lines.reverse());
      while (body.childElementCount > most) body.lastElementChild.remove();
      shown += data.rows.length;
      came += data.of;
      said.textContent = shown === came ? `${number(came)} rows` : `${number(came)} rows, of which ${number(shown)} are shown: 1 of ${Math.round(came / shown)}`;
    },
    status(data) { if (came === 0) said.textContent = data.status; },
    end(data) {
      said.textContent = data.error ? data.error + (data.hint ? ` (${data.hint})` : "") : `${number(came)} rows; it ended`;
      said.className = data.error ? "error" : "dim";
    },
  };
}

function text(v) {
  if (v === null || v === undefined) return "NULL";
  return typeof v === "object" ? JSON.stringify(v) : String(v);
}

// follow hands the events of an address to a table until it is stopped.
export function follow(address, table) {
  const source = new EventSource(address);
  for (const kind of ["columns", "rows", "status", "end"]) {
    source.addEventListener(kind, (e) => {
      table[kind](JSON.parse(e.data));
      if (kind === "end") source.close();
    });
  }
  return () => source.close();
}

// post runs a statement and hands its events to a table. The returned function stops it.
export function post(request, table, done) {
  const abort = new AbortController();
  (async () => {
    try {
      const answer = await fetch("api/v1/sql", {
        method: "POST", body: JSON.stringify(request), signal: abort.signal, headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      });
      if (!answer.ok) {
        table.end(await answer.json());
        return;
      }
      let rest = "";
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done: over } = await reader.read();
        if (over) return;
        const events = (rest + value).split("\n\n");
        rest = events.pop();
        for (const e of events) {
          const [kind, data] = e.split("\n");
          table[kind.slice("event: ".length)](JSON.parse(data.slice("data: ".length)));
        }
      }
    } catch (e) {
      if (e.name !== "AbortError") table.end({ error: e.message });
    } finally {
      done();
    }
  })();
  return () => abort.abort();
}
