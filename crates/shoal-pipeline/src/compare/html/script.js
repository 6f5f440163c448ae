"use strict";
(() => {
  // Tables can be sorted by any column; without this script they stand in the order of the grid.
  const value = (row, at) => row.cells[at].dataset.value ?? row.cells[at].textContent.trim();
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
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
        // Cells without a figure, those that are not feasible, stay at the end in both directions.
        const filled = rows.filter((row) => value(row, at) !== "");
        const numeric = filled.every((row) => !Number.isNaN(Number(value(row, at))));
        filled.sort((a, b) => {
          const [x, y] = [value(a, at), value(b, at)];
          return (up ? 1 : -1) * (numeric ? Number(x) - Number(y) : x.localeCompare(y));
        });
        body.append(...filled, ...rows.filter((row) => value(row, at) === ""));
      });
    });
  }
  document.documentElement.dataset.script = "ran";
})();
