package io.sluice.perf.report.svg;

/** The style sheet that all drawings need, once a page. */
public final class Style {
    /** The size of letters in drawings, in pixels. */
    static final int LETTERS = 12;

    /** The number of series with a colour of their own; further ones take the colours again, dashed. */
    static final int COLOURS = 8;

    private Style() {}

    /**
     * The style sheet: colours for light and dark surroundings.
     *
     * @return CSS
     */
    public static String css() {
        return """
                :root { color-scheme: light dark; --ground: #ffffff; --ink: #1a1c20; --soft: #5b616b; --grid: #dfe2e7;
                  --own: #0b62a8; --peer: #8c939e; --good: #1d7a3a; --bad: #b3261e;
                  --s0: #0b62a8; --s1: #c2410c; --s2: #1d7a3a; --s3: #8a3ffc; --s4: #a16207; --s5: #0f766e; --s6: #be185d;
                  --s7: #4b5563; }
                @media (prefers-color-scheme: dark) { :root { --ground: #14161a; --ink: #e8eaee; --soft: #a3a9b4;
                  --grid: #343941; --own: #5aaef5; --peer: #7d8592; --good: #5fce83; --bad: #ff8a80;
                  --s0: #5aaef5; --s1: #fb923c; --s2: #5fce83; --s3: #c4a3ff; --s4: #eac54f; --s5: #45d6c6; --s6: #f780b8;
                  --s7: #b6bcc7; } }
                .plot text { font: 12px system-ui, sans-serif; fill: var(--ink); }
                .plot text.label { paint-order: stroke; stroke: var(--ground); stroke-width: 3px; }
                .plot text.soft { fill: var(--soft); }
                .plot text.strong { font-weight: 600; }
                .plot .grid { stroke: var(--grid); stroke-width: 1; }
                .plot .axis { stroke: var(--soft); stroke-width: 1; fill: none; }
                .plot .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
                .plot .band { fill: var(--grid); stroke: none; }
                .plot .again { stroke-dasharray: 6 3; }
                .plot .s0 { stroke: var(--s0); } .plot .s1 { stroke: var(--s1); } .plot .s2 { stroke: var(--s2); }
                .plot .s3 { stroke: var(--s3); } .plot .s4 { stroke: var(--s4); } .plot .s5 { stroke: var(--s5); }
                .plot .s6 { stroke: var(--s6); } .plot .s7 { stroke: var(--s7); }
                .plot .own { fill: var(--own); } .plot .peer { fill: var(--peer); }
                .plot .quartiles { stroke: var(--ink); stroke-width: 1.5; fill: none; }
                .plot .reference { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 3 3; }
                .plot .must { stroke: var(--bad); stroke-width: 2.5; }
                .plot .stretch { stroke: var(--good); stroke-width: 2.5; }
                .plot .cell { fill: var(--own); stroke: var(--ground); stroke-width: 1; }
                .plot .empty { fill: var(--grid); stroke: var(--ground); stroke-width: 1; }
                .plot .node { fill: var(--ground); stroke: var(--own); stroke-width: 1.5; }
                .plot .arrow { stroke: var(--soft); stroke-width: 1.5; fill: none; }
                .plot .head { fill: var(--soft); }
                """;
    }

    /** The classes of the n-th series. */
    static String series(int n) {
        return "s" + n % COLOURS + (n / COLOURS % 2 == 1 ? " again" : "");
    }
}
