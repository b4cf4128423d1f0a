"use strict";
const peek = document.getElementById("peek");
let pinned = null;
const lines = (id) => document.getElementById(id).textContent.split("\n");
const parts = lines("parts");
const cards = lines("cards");

/** What is known of one access, put together from parts that many have in common. */
function card_of(number) {
  const [name, ...own] = cards[number].split(" ");
  const card = document.createElement("article");
  card.className = "card " + name;
  card.innerHTML = own.map((part) => parts[part]).join("");
  return card;
}

function show(mark) {
  peek.replaceChildren();
  for (const number of mark.dataset.cards.split(" ")) {
    peek.append(card_of(number));
  }
  // Away from the mark, so that it stays in sight.
  peek.classList.toggle("above", mark.getBoundingClientRect().top > innerHeight / 2);
  peek.classList.toggle("pinned", mark === pinned);
  peek.hidden = false;
  peek.scrollTop = 0;
}

function hide() {
  pinned = null;
  peek.hidden = true;
}

for (const mark of document.querySelectorAll(".mark")) {
  // A finger only clicks.
  mark.addEventListener("pointerenter", (event) => { if (!pinned && event.pointerType === "mouse") show(mark); });
  mark.addEventListener("pointerleave", () => { if (!pinned) hide(); });
  mark.addEventListener("focus", () => show(mark));
  mark.addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (pinned === mark) return hide();
    pinned = mark;
    show(mark);
  });
}

document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
document.addEventListener("click", (event) => { if (!peek.contains(event.target)) hide(); });

// The cards of a kernel come when they are asked for.
function fill(holder) {
  if (holder.children.length > 1) return;
  for (const number of holder.dataset.cards.split(" ")) {
    const card = card_of(number);
    card.id = "a" + number;
    holder.append(card);
  }
}
const holders = document.querySelectorAll("details[data-cards]");
for (const holder of holders) {
  holder.addEventListener("toggle", () => { if (holder.open) fill(holder); });
}

// A link to a card opens what holds it.
function open_target() {
  const number = /^#a(\d+)$/.exec(location.hash)?.[1];
  for (const holder of number ? holders : []) {
    if (!holder.dataset.cards.split(" ").includes(number)) continue;
    fill(holder);
    holder.open = true;
  }
  const target = location.hash && document.querySelector(location.hash);
  if (target) target.scrollIntoView();
}
// The list of findings: what is looked for, in the order that is asked for.
const tools = document.querySelector(".tools");
if (tools) {
  tools.hidden = false;
  const list = document.querySelector("ol.findings");
  const items = [...list.children].map((item, rank) => ({ item, rank, text: item.textContent.toLowerCase() }));
  const filter = document.getElementById("filter");
  const order = document.getElementById("order");
  const arrange = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const key = order.value;
    const compare = (a, b) => key === "rank" ? 0 : a.item.dataset[key] < b.item.dataset[key] ? -1 : a.item.dataset[key] > b.item.dataset[key] ? 1 : 0;
    items.sort((a, b) => compare(a, b) || a.rank - b.rank);
    let shown = 0;
    for (const { item, text } of items) {
      item.hidden = !words.every((word) => text.includes(word));
      shown += item.hidden ? 0 : 1;
      list.append(item);
    }
    document.getElementById("shown").value = `${shown} of ${items.length}`;
  };
  filter.addEventListener("input", arrange);
  order.addEventListener("change", arrange);
  arrange();
}

// A table is sorted by the column whose head is clicked; numbers fall, names rise.
for (const head of document.querySelectorAll("#overview th")) {
  head.addEventListener("click", () => {
    const body = head.closest("table").tBodies[0];
    const at = head.cellIndex;
    const value = (row) => row.cells[at].textContent.replace("×", "");
    const rows = [...body.rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return isNaN(parseFloat(x)) && isNaN(parseFloat(y)) ? x.localeCompare(y) : (parseFloat(y) || 0) - (parseFloat(x) || 0);
    });
    body.append(...rows);
  });
}

addEventListener("hashchange", open_target);
open_target();
