// The plan as a drawing, sources at the left, the result at the right. A dashed box is a shuffle: its reason is among the facts.
import { el, svg, number } from "./draw.js";

const width = 210, height = 54, gapX = 46, gapY = 18;

// flatten makes nodes and edges of a plan. Fragments meet where one receives what another shuffles; what is computed once and read
// twice is told once, and drawn once.
function flatten(plan) {
  const nodes = [], edges = [], shuffles = new Map(), receives = [], shared = new Map();
  const add = (fragment, n) => {
    const again = /^Shared (\d+), as above/.exec(n.node);
    if (again && shared.has(again[1])) return shared.get(again[1]);
    const at = nodes.length;
    nodes.push({ fragment, label: n.node, facts: n.facts ?? [], flow: n.flow });
    for (const input of n.inputs ?? []) edges.push([add(fragment, input), at]);
    const shuffle = /^Shuffle (\d+)/.exec(n.node), receive = /^Receive shuffle (\d+)/.exec(n.node);
    if (shuffle) { shuffles.set(shuffle[1], at); nodes[at].moves = true; }
    if (receive) receives.push([receive[1], at]);
    const first = /^Shared (\d+):/.exec(n.node);
    if (first) shared.set(first[1], at);
    return at;
  };
  for (const f of plan.fragments ?? []) for (const root of f.roots) add(f.id, root);
  for (const [id, at] of receives) if (shuffles.has(id)) edges.push([shuffles.get(id), at]);
  return { nodes, edges };
}

// place gives each node the layer of its longest way from a source, and a row in it.
function place({ nodes, edges }) {
  const layer = nodes.map(() => 0);
  for (let again = true, n = 0; again && n <= nodes.length; n++) {
    again = false;
    for (const [from, to] of edges) {
      if (layer[to] < layer[from] + 1) { layer[to] = layer[from] + 1; again = true; }
    }
  }
  const used = [];
  nodes.forEach((n, i) => {
    const row = used[layer[i]] ?? 0;
    used[layer[i]] = row + 1;
    n.x = layer[i] * (width + gapX) + 4;
    n.y = row * (height + gapY) + 4;
  });
  return { w: used.length * (width + gapX) - gapX + 8, h: Math.max(...used, 1) * (height + gapY) - gapY + 8 };
}

function short(text, length) { return text.length > length ? `${text.slice(0, length - 1)}…` : text; }

// graph is a drawing that keeps its form while the numbers change.
export function graph() {
  const picture = el("div", { class: "scroll" });
  const facts = el("ul", { class: "facts", "aria-live": "polite" });
  const node = el("div", {}, picture, el("p", { class: "dim" }, "Choose a step to read more about it."), facts);
  let shape = "", drawn = [], chosen = -1, now = [];
  const tell = () => {
    const n = now[chosen];
    facts.replaceChildren(...(n ? [n.label, ...n.facts].map((t) => el("li", {}, t)) : []));
    drawn.forEach((d, i) => d.box.classList.toggle("chosen", i === chosen));
  };
  const draw = (g) => {
    const { w, h } = place(g);
    const lines = g.edges.map(([a, b]) => {
      const [x1, y1, x2, y2] = [g.nodes[a].x + width, g.nodes[a].y + height / 2, g.nodes[b].x, g.nodes[b].y + height / 2];
      const m = (x1 + x2) / 2;
      return svg("path", { d: `M${x1},${y1} C${m},${y1} ${m},${y2} ${x2},${y2}`, "marker-end": "url(#arrow)" });
    });
    drawn = g.nodes.map((n, i) => {
      const rows = svg("text", { x: 10, y: 42, class: "dim" });
      const box = svg("g", { transform: `translate(${n.x},${n.y})`, tabindex: 0, role: "button", "aria-label": n.label, class: n.moves ? "moves" : "" },
        svg("title", {}, n.label), svg("rect", { width, height, rx: 6 }), svg("text", { x: 10, y: 22 }, short(n.label, 28)), rows);
      const choose = () => { chosen = i; tell(); };
      box.addEventListener("click", choose);
      box.addEventListener("focus", choose);
      return { box, rows };
    });
    const arrow = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0,1 L7,4 L0,7" }));
    picture.replaceChildren(svg("svg", { width: w, height: h, role: "group", "aria-label": "the plan" }, svg("defs", {}, arrow), ...lines, ...drawn.map((d) => d.box)));
  };
  let before = { at: 0, rows: [] };
  return {
    node,
    show(plan) {
      const g = flatten(plan);
      const form = JSON.stringify([g.nodes.map((n) => n.label), g.edges]);
      if (form !== shape) { shape = form; chosen = -1; draw(g); before = { at: 0, rows: [] }; }
      const at = performance.now(), seconds = (at - before.at) / 1000;
      g.nodes.forEach((n, i) => {
        if (!n.flow) { drawn[i].rows.textContent = ""; return; }
        const was = before.rows[i];
        const rate = was == null || before.at === 0 ? "" : ` · ${number(Math.max(n.flow.rows - was, 0) / seconds)}/s`;
        drawn[i].rows.textContent = `${number(n.flow.rows)} rows${rate}`;
      });
      before = { at, rows: g.nodes.map((n) => n.flow?.rows) };
      now = g.nodes;
      if (chosen >= 0) tell();
    },
  };
}
