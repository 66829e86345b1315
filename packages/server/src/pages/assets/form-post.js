/*
 * Presses the page's one button if scripts are on. Uses the prototype's `submit`, because a field could be named
 * `submit`.
 */
HTMLFormElement.prototype.submit.call(document.forms[0]);
