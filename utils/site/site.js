// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A click on a section of the tree opens and closes it.
document.addEventListener("click", function (event) {
  var section = event.target.closest(".wy-menu-vertical a:not([href])");
  if (section) section.parentElement.classList.toggle("current");
});
