/// The style sheet of an HTML report: light and dark, wide and narrow.
enum HTMLStyle {
  static let text = """
    :root { color-scheme: light dark; --ink: #1d2733; --paper: #fff; --faint: #5b6876;
      --line: #d7dde3; --card: #f5f7f9; --good: #1f7a4d; --quiet: #5f6b77; --open: #9a6700;
      --bad: #b3261e; --entity: #2f5d8a; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --paper: #14191f;
      --faint: #9aa7b4; --line: #2c353f; --card: #1c232b; --good: #5cc48e; --quiet: #8995a1;
      --open: #e0a93b; --bad: #ff8a80; --entity: #7db1e3; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
    main { max-width: 58rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; }
    p { margin: .4rem 0; } code { font: .9em ui-monospace, Menlo, Consolas, monospace;
      background: var(--card); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
    .badge { display: inline-block; font-size: .9rem; font-weight: 600; padding: .1rem .6rem;
      border-radius: 1rem; border: 1px solid currentColor; vertical-align: middle; }
    .good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
    .quiet, .none { color: var(--quiet); }
    .reason { border-left: 4px solid var(--bad); padding: .3rem .8rem; background: var(--card);
      overflow-wrap: anywhere; }
    svg { width: 100%; max-width: 40rem; height: auto; display: block; }
    svg text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--ink); }
    svg text.small { font-size: 10px; fill: var(--faint); }
    svg .band { fill: currentColor; fill-opacity: .3; } svg .node, svg .bar { fill: currentColor; }
    svg .bar { fill-opacity: .35; } svg .entity { fill: var(--entity); }
    svg .speed { fill: none; stroke: var(--entity); stroke-width: 1.5; }
    svg .pause { stroke: var(--open); stroke-width: 1; }
    .wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .95rem; }
    th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--line);
      white-space: nowrap; font-variant-numeric: tabular-nums; }
    tbody th, thead th:first-child { text-align: left; font-weight: 500; }
    thead th { font-weight: 500; color: var(--faint); font-size: .85rem; }
    input[type=radio] { position: absolute; opacity: 0; }
    input[type=radio] + label { display: inline-block; padding: .3rem .8rem; margin: 0 .3rem .5rem 0;
      border: 1px solid var(--line); border-radius: 1rem; cursor: pointer; font-size: .9rem; }
    input[type=radio]:checked + label { background: var(--ink); color: var(--paper); }
    input[type=radio]:focus-visible + label { outline: 2px solid var(--entity); }
    #show-error:checked ~ .list .notes, #show-warning:checked ~ .list .notes,
    #show-error:checked ~ .list .finding:not(.error),
    #show-warning:checked ~ .list .finding:not(.warning),
    #show-note:checked ~ .list .finding:not(.note) { display: none; }
    details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0;
      padding: .4rem .7rem; overflow-wrap: anywhere; }
    summary { cursor: pointer; } details ul { margin: .4rem 0; padding-left: 1.2rem;
      max-height: 20rem; overflow-y: auto; font-size: .9rem; }
    .mark { font-size: .8rem; font-weight: 600; }
    .error > summary .mark { color: var(--bad); } .warning > summary .mark { color: var(--open); }
    .note > summary .mark { color: var(--quiet); }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem .8rem;
      margin: .6rem 0; } dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
    .records > details { margin-left: .2rem; } .mark.good, .mark.open, .mark.bad { font-size: .85rem; }
    table.fields { width: 100%; } table.fields th, table.fields td { text-align: left;
      vertical-align: top; white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }
    table.fields th:first-child { width: 28%; }
    footer { margin: 2rem 0 1rem; color: var(--faint); font-size: .85rem; }
    @media (max-width: 30rem) { h1 { font-size: 1.25rem; } dl { grid-template-columns: 1fr; gap: 0; }
      dd { margin-bottom: .4rem; } table { font-size: .85rem; } th, td { padding: .2rem .35rem; }
      tbody th { white-space: normal; overflow-wrap: break-word; }
      table:has(thead th:nth-child(6)) thead th:not(:first-child) { writing-mode: vertical-rl; } }
    @media print { details { break-inside: avoid; } }
    """
}
