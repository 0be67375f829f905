import { route, setQuery } from "../route.js";

/** The filter of a list. It is part of the address, so that a link shows the same list. */
export function FilterBox({ of, hint = "" }: { of: string; hint?: string }) {
  return (
    <input
      type="search"
      data-key="/"
      aria-label={`Filter ${of}`}
      placeholder={`Filter${hint}  /`}
      value={route.value.query.q ?? ""}
      onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
    />
  );
}
