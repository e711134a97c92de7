const main = document.getElementById("queries");

async function refresh() {
  const answer = await fetch("api/v1/overview");
  const { queries } = await answer.json();
  main.replaceChildren(...queries.map((q) => {
    const p = document.createElement("p");
    p.textContent = `${q.name} ${q.state}: ${q.status}`;
    return p;
  }));
}

refresh();
setInterval(refresh, 1000);
