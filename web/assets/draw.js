// Elements and texts.

// el makes an element; children are nodes or texts, never markup.
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// svg is el for drawings.
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [k, v] of Object.entries(attributes)) {
    if (v === true) node.setAttribute(k, "");
    else if (v !== false && v != null) node.setAttribute(k, v);
  }
  node.append(...children);
  return node;
}

// number is short: 1,234 or 12.3 k or 4.56 M.
export function number(n) {
  if (n < 10000) return Math.round(n).toLocaleString("en");
  if (n < 1e6) return `${(n / 1e3).toFixed(1)} k`;
  if (n < 1e9) return `${(n / 1e6).toFixed(2)} M`;
  return `${(n / 1e9).toFixed(2)} G`;
}

export function bytes(n) {
  for (const unit of ["B", "kB", "MB"]) {
    if (n < 1000) return `${n < 10 && unit !== "B" ? n.toFixed(1) : Math.round(n)} ${unit}`;
    n /= 1000;
  }
  return `${n.toFixed(1)} GB`;
}

// instant is an event time in UTC: "2026-01-02 03:04:05.678", "–" for none.
export function instant(text) {
  return text ? new Date(text).toISOString().replace("T", " ").replace("Z", "") : "–";
}

// ago is how far an event time lies behind now.
export function ago(text, now) {
  if (!text) return "";
  const s = (new Date(now) - new Date(text)) / 1000;
  if (s < 120) return `−${s.toFixed(1)} s`;
  if (s < 7200) return `−${(s / 60).toFixed(0)} min`;
  if (s < 172800) return `−${(s / 3600).toFixed(0)} h`;
  return `−${(s / 86400).toFixed(0)} d`;
}
