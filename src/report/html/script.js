"use strict";
const peek = document.getElementById("peek");
let pinned = null;

function show(mark) {
  peek.replaceChildren();
  for (const number of mark.dataset.cards.split(" ")) {
    const card = document.getElementById("a" + number).cloneNode(true);
    card.removeAttribute("id");
    peek.append(card);
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

// A link to a card opens what holds it.
function open_target() {
  const target = location.hash && document.querySelector(location.hash);
  if (!target) return;
  const holder = target.closest("details");
  if (holder) holder.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", open_target);
open_target();
