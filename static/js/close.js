// The page of a registration: tells the course platform that opened it, in a window or a frame, that it can be closed.

const button = document.getElementById("close");

button.hidden = false;
button.addEventListener("click", () => {
  // Whoever reads this learns nothing else.
  (window.opener || window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");
  window.close();
});
