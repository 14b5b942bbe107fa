// Without this script both pictures stand side by side; with it, one lies over the other.
const lay = () => {
  for (const figure of document.querySelectorAll("figure[data-overlay]:not(.laid)")) {
    const slider = figure.querySelector("input");
    const over = figure.querySelector(".over");
    const show = () => { over.style.opacity = slider.value / 100; };
    figure.classList.add("laid");
    slider.addEventListener("input", show);
    show();
  }
};
document.addEventListener("shown", lay);
lay();
