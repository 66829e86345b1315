/* Presses the page's one button for those who have scripts on. `submit` could be the name of a field, hence the prototype's. */
HTMLFormElement.prototype.submit.call(document.forms[0]);
