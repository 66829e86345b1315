/** Text that becomes markup, an attribute, a template or a link where a page doesn't treat it as text. */

export const MARKUP: Readonly<Record<string, string>> = {
  "a script": "<script>alert(1)</script>",
  "an end of everything": "\"'></bdi></textarea></title></script><img src=x onerror=alert(1)>",
  "an attribute": '" onmouseover="alert(1)" autofocus onfocus="alert(1)" x="',
  "a template": "{{7*7}}\u0024{7*7}<%= 7*7 %>#{7*7}",
  "a link that runs": "javascript:alert(1)",
  "an entity": "&lt;script&gt;alert(1)&lt;/script&gt;&#x3c;b&#62;",
};
