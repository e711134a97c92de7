// The page: polls the overview, shows one query at a time, follows rows by server-sent events. No framework, no build step.
import { graph } from "./graph.js";
import { el, number, bytes, instant, ago } from "./draw.js";
import { follow, rowsTable } from "./rows.js";
import { editor } from "./editor.js";

const main = document.getElementById("main");
const strip = document.getElementById("strip");
const pollEvery = 1000;

let leave = () => {}; // ends what the shown view has going on
let last = { at: 0, queries: new Map() }; // of the poll before, for rates
let rates = new Map(); // name → { in, out } per second

async function get(path) {
  const answer = await fetch(path);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

// every calls step now and again until the view is left; an error is shown and the next try follows.
function every(step) {
  let on = true;
  let timer;
  const turn = async () => {
    try {
      await step();
    } catch (e) {
      strip.textContent = `no answer: ${e.message}`;
    }
    if (on) timer = setTimeout(turn, document.hidden ? 5 * pollEvery : pollEvery);
  };
  turn();
  return () => { on = false; clearTimeout(timer); };
}

async function overview() {
  const o = await get("api/v1/overview");
  const at = performance.now();
  const seconds = (at - last.at) / 1000;
  const now = new Map();
  for (const q of o.queries) {
    const before = last.queries.get(q.name);
    if (before && seconds > 0.5) {
      rates.set(q.name, { in: Math.max(q.in - before.in, 0) / seconds, out: Math.max(q.out - before.out, 0) / seconds });
    }
    now.set(q.name, q);
  }
  if (seconds > 0.5) last = { at, queries: now };
  const sum = (pick) => o.queries.reduce((n, q) => n + pick(rates.get(q.name) ?? { in: 0, out: 0 }), 0);
  strip.textContent = `${o.queries.length} ${o.queries.length === 1 ? "query" : "queries"} · ${number(sum((r) => r.in))} in/s · ${number(sum((r) => r.out))} out/s` + (o.broker ? ` · broker ${o.broker}` : "");
  return o;
}

function queriesView() {
  const body = el("tbody");
  const empty = el("p", { class: "dim" }, "No query runs here. CREATE STREAM … AS SELECT starts one.");
  main.replaceChildren(
    el("h1", {}, "Queries"),
    el("div", { class: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["query", "state"].map((t) => el("th", {}, t)), ...["in/s", "out/s", "lag", "late", "bad", "memory"].map((t) => el("th", { class: "n" }, t)), el("th", {}, "watermark"), el("th", {}, "what it does"))),
      body)),
    empty);
  return every(async () => {
    const o = await overview();
    empty.hidden = o.queries.length > 0;
    body.replaceChildren(...o.queries.map((q) => {
      const r = rates.get(q.name) ?? { in: 0, out: 0 };
      return el("tr", {},
        el("td", {}, el("a", { href: `#/q/${encodeURIComponent(q.name)}` }, q.name)),
        el("td", { class: `state ${q.state}` }, q.state),
        ...[number(r.in), number(r.out), number(q.lag), number(q.late), number(q.bad), bytes(q.state_bytes)].map((t) => el("td", { class: "n" }, t)),
        el("td", {}, instant(q.watermark), " ", el("span", { class: "dim" }, ago(q.watermark, o.now))),
        el("td", { class: "wide" }, q.status));
    }));
  });
}

function queryView(name) {
  const path = `api/v1/queries/${encodeURIComponent(name)}`;
  const state = el("span", {});
  const sentence = el("p", { class: "sentence", role: "status" });
  const buttons = el("p", { hidden: true });
  const figures = el("p", { class: "dim" });
  const drawn = graph();
  const sources = el("tbody");
  const sql = el("pre");
  const tail = el("div");
  const error = el("p", { class: "error" });
  for (const action of ["pause", "resume", "terminate"]) {
    const b = el("button", { type: "button" }, action);
    b.addEventListener("click", async () => {
      const answer = await fetch(`${path}/${action}`, { method: "POST" });
      error.textContent = answer.ok ? "" : (await answer.json()).error;
    });
    buttons.append(b);
  }
  main.replaceChildren(
    el("h1", {}, name, " ", state), sentence, buttons, error, figures,
    el("h2", {}, "Plan"), drawn.node,
    el("h2", {}, "Sources"), el("div", { class: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["partition", "state"].map((t) => el("th", {}, t)), ...["read", "lag", "late", "bad"].map((t) => el("th", { class: "n" }, t)), ...["newest event", "watermark"].map((t) => el("th", {}, t)))), sources)),
    el("h2", {}, "Rows"), tail,
    el("h2", {}, "SQL"), sql);
  let stopTail = null;
  const stopPoll = every(async () => {
    const o = await overview();
    const q = await get(path);
    state.textContent = q.state;
    state.className = `state ${q.state}`;
    sentence.textContent = q.status;
    buttons.hidden = !o.write;
    figures.textContent = `${number(q.in)} in · ${number(q.out)} out · lag ${number(q.lag)} · ${number(q.filtered)} filtered · ${number(q.late)} late · ${number(q.bad)} bad · ${number(q.waiting)} wait for a table · ${q.tasks} tasks · state ${bytes(q.state_bytes)}` +
      (q.watermark ? ` · watermark ${instant(q.watermark)}${q.holding ? `, held by ${q.holding}` : ""}` : "") + (q.due ? ` · next rows at ${instant(q.due)}` : "");
    drawn.show(q.plan);
    sources.replaceChildren(...(q.sources ?? []).map((s) => el("tr", {},
      el("td", {}, `${s.topic}/${s.partition}`), el("td", { class: "dim" }, s.state),
      ...[s.in, s.end - s.position, s.late, s.bad].map((n) => el("td", { class: "n" }, number(n))),
      el("td", {}, instant(s.newest)), el("td", {}, instant(s.watermark), `${s.topic}/${s.partition}` === q.holding ? " ◀ holds time" : ""))));
    sql.textContent = q.sql;
    if (!stopTail) {
      if (q.target) {
        const table = rowsTable();
        tail.replaceChildren(table.node);
        stopTail = follow(`${path}/rows`, table);
      } else {
        tail.replaceChildren(el("p", { class: "dim" }, "It writes no stream or table."));
        stopTail = () => {};
      }
    }
  });
  return () => { stopPoll(); stopTail?.(); };
}

function sqlView() {
  const e = editor();
  main.replaceChildren(el("h1", {}, "SQL"), e.node);
  const stop = every(overview);
  return () => { stop(); e.stop(); };
}

function route() {
  leave();
  const [, page, name] = location.hash.split("/");
  if (page === "q") leave = queryView(decodeURIComponent(name));
  else if (page === "sql") leave = sqlView();
  else leave = queriesView();
  for (const a of document.querySelectorAll("nav a")) {
    if (a.getAttribute("href") === (page === "sql" ? "#/sql" : "#/")) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
}

addEventListener("hashchange", () => { route(); main.focus(); });
route();
