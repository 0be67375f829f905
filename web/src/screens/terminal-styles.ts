/**
 * The terminal library writes its rules into style elements, which the page's policy refuses. It gets a document whose style
 * elements feed a constructed sheet instead: rules that a script builds from numbers and colours of the theme, never from text.
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

function createElement(name: string, options?: ElementCreationOptions): HTMLElement {
  if (name.toLowerCase() !== "style") return document.createElement(name, options);
  const stand = document.createElement("i");
  stand.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(stand, "textContent", { set: (text: string) => sheet.replaceSync(text) });
  Object.defineProperty(stand, "sheet", { get: () => sheet });
  stand.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    HTMLElement.prototype.remove.call(stand);
  };
  return stand;
}
