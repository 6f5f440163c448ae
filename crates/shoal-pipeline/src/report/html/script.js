"use strict";
(() => {
  // Tables can be sorted by any column; without this script they stand in the order of the report.
  const value = (row, at) => row.cells[at].textContent.trim();
  const number = (text) => {
    const found = text.replace(/,/g, "").replace("−", "-").match(/-?\d+(\.\d+)?/);
    return found ? parseFloat(found[0]) : NaN;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    if (body.rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.title = "Sort by this column";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows];
        const numeric = at > 0 && rows.every((row) => !Number.isNaN(number(value(row, at))));
        rows.sort((a, b) => {
          const [x, y] = [value(a, at), value(b, at)];
          return (up ? 1 : -1) * (numeric ? number(x) - number(y) : x.localeCompare(y));
        });
        body.append(...rows);
      });
    });
  }
  // Definitions can be searched.
  const filter = document.getElementById("filter");
  if (filter) {
    const terms = [...document.querySelectorAll(".terms > div")];
    filter.closest(".filter").hidden = false;
    filter.addEventListener("input", () => {
      const wanted = filter.value.trim().toLowerCase();
      for (const term of terms) term.hidden = !term.textContent.toLowerCase().includes(wanted);
      const found = terms.filter((term) => !term.hidden).length;
      document.getElementById("found").textContent = wanted ? found + " found" : "";
    });
  }
  // Paper cannot be unfolded.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
  document.documentElement.dataset.script = "ran";
})();
