/** Styles of the page: the phone next to the story, or above it in a narrow window. */
export const SHOW_CSS = `:root {
  color-scheme: dark;
  --ink: #e8eef4;
  --faint: #93a4b5;
  --line: #2b3a49;
  --ground: #0d141c;
  --panel: #15202b;
  --new: #f0b84a;
  --good: #4fc98a;
  --bad: #f0706a;
}
* {
  box-sizing: border-box;
}
body {
  margin: 0;
  min-height: 100vh;
  display: flex;
  flex-direction: column;
  background: var(--ground);
  color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif;
}
header {
  display: flex;
  flex-wrap: wrap;
  gap: 12px 32px;
  align-items: center;
  padding: 16px 24px;
}
h1 {
  margin: 0;
  flex: 1 1 auto;
  font-size: 22px;
}
ol {
  margin: 0;
  padding: 0;
  list-style: none;
}
#versions {
  display: flex;
  flex: 0 1 660px;
  gap: 8px;
}
#versions li {
  position: relative;
  flex: 1 1 0;
  min-width: 0;
  padding: 6px 12px;
  border: 1px solid var(--line);
  border-left: 4px solid var(--line);
  border-radius: 8px;
  background: var(--panel);
}
#versions b {
  display: block;
  font-size: 18px;
  line-height: 1.2;
}
#versions span {
  display: block;
  color: var(--faint);
  font-size: 14px;
}
#versions i {
  position: absolute;
  top: 8px;
  right: 8px;
  padding: 0 8px;
  border-radius: 9px;
  background: var(--ink);
  color: var(--ground);
  font-size: 12px;
  font-style: normal;
}
#versions .new {
  border-left-color: var(--new);
}
#versions .good {
  border-left-color: var(--good);
}
#versions .bad {
  border-left-color: var(--bad);
}
#versions .none {
  opacity: 0.55;
}
main {
  flex: 1;
  display: grid;
  grid-template-columns: minmax(0, 1fr) minmax(300px, 380px);
  gap: 24px;
  align-items: start;
  padding: 0 24px 24px;
}
#phone {
  padding: 14px 34px;
  border: 1px solid #3a4856;
  border-radius: 36px;
  background: #05080b;
}
#screen {
  display: grid;
  place-items: center;
  height: min(calc(100vh - 160px), 40vw);
  min-height: 360px;
  overflow: hidden;
  border-radius: 12px;
  background: #000;
  color: var(--faint);
}
#screen iframe {
  width: 100%;
  height: 100%;
  border: 0;
}
#controls {
  display: flex;
  gap: 16px;
  align-items: center;
}
#next {
  flex: 1;
  min-height: 52px;
  padding: 8px 16px;
  border: 0;
  border-radius: 10px;
  background: #3b82d6;
  color: #fff;
  font: 600 18px/1.2 system-ui, sans-serif;
  cursor: pointer;
}
#next:hover {
  background: #4c92e4;
}
#next:focus-visible {
  outline: 3px solid #fff;
  outline-offset: 2px;
}
#next:disabled {
  background: var(--line);
  color: var(--faint);
  cursor: default;
}
#next.busy::after {
  content: " …";
}
label {
  white-space: nowrap;
}
#hint {
  margin: 10px 0 16px;
  color: var(--faint);
  font-size: 14px;
}
kbd {
  padding: 0 6px;
  border: 1px solid var(--line);
  border-radius: 4px;
}
#failure {
  padding: 12px;
  border-radius: 8px;
  background: #4a1d1d;
}
#entries {
  max-height: calc(100vh - 220px);
  overflow-y: auto;
}
#entries li {
  margin-bottom: 8px;
  padding: 10px 14px;
  border-left: 3px solid #3b82d6;
  border-radius: 4px 8px 8px 4px;
  background: var(--panel);
}
#entries .studio {
  border-left-color: var(--faint);
}
#entries .studio h2::before {
  content: "The studio: ";
  color: var(--faint);
  font-weight: 400;
}
#entries li:not(:first-child) {
  opacity: 0.75;
}
#entries h2 {
  margin: 0;
  font-size: 16px;
}
#entries p {
  margin: 4px 0 0;
  font-size: 15px;
}
@media (max-width: 820px) {
  header,
  main {
    padding-inline: 12px;
  }
  #versions {
    flex-basis: 100%;
  }
  #versions li {
    padding: 6px 8px;
  }
  #versions i {
    position: static;
    display: inline-block;
  }
  main {
    grid-template-columns: minmax(0, 1fr);
    gap: 16px;
  }
  #phone {
    padding: 22px 10px;
    border-radius: 28px;
  }
  #screen {
    height: 48vh;
    min-height: 300px;
  }
  #entries {
    max-height: none;
  }
}
`;
