/**
 * The terminal library writes its rules into style elements, which the page's policy refuses. It gets a document whose style
 * elements feed a constructed sheet: rules that a script builds from numbers and colours, never from text.
 */
export function styledDocument(): Document {
  return new Proxy(document, {
    get(target, key) {
      if (key === "createElement") return createElement;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}

/** A part of the library uses the page's own document, but only while it opens. */
export function withStyles(open: () => void): void {
  document.createElement = createElement as typeof document.createElement;
  try {
    open();
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
}

function createElement(name: string, options?: ElementCreationOptions): HTMLElement {
  if (name === "style") return styleStandIn();
  return Document.prototype.createElement.call(document, name, options);
}

function styleStandIn(): HTMLElement {
  const stand = Document.prototype.createElement.call(document, "i");
  stand.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(stand, "textContent", {
    set: (text: string) => {
      sheet.replaceSync(text);
    },
  });
  Object.defineProperty(stand, "sheet", { get: () => sheet });
  stand.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    HTMLElement.prototype.remove.call(stand);
  };
  return stand;
}
