/// Limits of WGSL source, checked before compilation.
///
/// naga, wgpu-native's compiler, recurses over brackets, templates, operators and else-if chains. Without limits, 2,500 nested calls or a
/// sum of 15,000 terms overflow a stack of 8 MiB and end the process. Measured with wgpu-native 29 on a stack of 8 MiB, first crash at:
///
/// | construct | count |
/// | --- | --- |
/// | nested calls, casts, `bitcast<>()` | 2,500 |
/// | nested parentheses, brackets, `array<` | 2,800 |
/// | else-if chain | 6,200 |
/// | `*&*&x` | 8,700 |
/// | `- - - x`, `a + b + …`, `a && b && …` | 15,000 |
/// | member or index chain | 16,000 |
///
/// The limits are at most an eighth of these counts, and the stack of `CompilerThread` is eight times as large. Software drivers inline every
/// call and unroll loops, so the inlined size and the number of loops are limited too: there, a chain of 1,500 functions needs 1.8 GB, and
/// 1,500 loops need two minutes.
///
/// The scan is iterative and takes linear time.
struct WGSLLimits {
    /// A limit that the source exceeds. Line and column count from 1; columns count characters.
    struct Violation: Error, Equatable {
        let line, column: Int
        let text: String
    }

    /// The size of a module in bytes.
    static let size = 2 << 20
    /// The number of tokens of a module.
    static let tokens = 65_536
    /// The size of one word or number in bytes.
    static let wordLength = 1024
    /// The number of brackets, template lists and else branches around one position.
    static let nesting = 200
    /// The number of operators on the longest path through one expression.
    static let operators = 1000
    /// The number of tokens of a function with all its calls inlined.
    static let inlined = 1_000_000
    /// The number of loops of a module.
    static let loops = 256
    /// The number of elements of one array including nested arrays, through aliases and structures (`WGSLArrays`); also the product of the
    /// lengths of all `array(a, b, …)` expressions that list names, because nested arrays multiply their lengths.
    static let elements = 65_536

    static func check(_ source: String) throws(Violation) {
        var scanner = WGSLScanner(source)
        try scanner.run()
    }
}

/// Scans the source once, byte by byte.
private struct WGSLScanner {
    /// An open bracket; the stack has the innermost last.
    private struct Scope {
        let closing: UInt8
        /// The nesting depth inside the scope.
        let nesting: Int
        /// The number of operators since the last comma or semicolon, and the longest path in brackets closed since then.
        var operators = 0
        var deepest = 0
        /// The number of consecutive else branches, in the scope of a brace.
        var elses = 0

        /// Whether the scope is the argument list of `array(`.
        var isArray = false
        var arguments = 1
        var listsNames = false
        /// The number of the first token of the current argument.
        var firstToken = 0

        /// The longest path through the current expression.
        var path: Int { operators + deepest }
        /// The longest path of the earlier expressions.
        var longest = 0
    }

    private struct Function {
        let name: Range<Int>
        let line, column: Int
        var tokens = 0
        var calls: [Range<Int>] = []
    }

    private let text: [UInt8]
    private var at = 0
    private var line = 1
    private var lineStart = 0
    private var scopes = [Scope(closing: 0, nesting: 0)]
    private var tokens: [Range<Int>] = []
    private var tokenCount: Int { tokens.count }
    private var loopCount = 0
    private var elementCount = 1
    private var functions: [Function] = []
    private var isInFunction = false
    private var previous = 0..<0
    private var beforePrevious = 0..<0

    init(_ source: String) { text = Array(source.utf8) }

    mutating func run() throws(WGSLLimits.Violation) {
        guard text.count <= WGSLLimits.size else { throw violation("\(WGSLLimits.size) bytes") }
        while at < text.count {
            if try skipBlanks() { continue }
            let start = at
            if Self.isWord(text[at]) {
                while at < text.count, Self.isWord(text[at]) { at += 1 }
                try count(start)
                try word(start..<at)
            } else {
                at += 1
                try count(start)
                try sign(start)
                // A two-byte token.
                tokens[tokens.count - 1] = start..<at
            }
            (beforePrevious, previous) = (previous, start..<at)
        }
        try checkInlining()
        try checkArrays()
    }

    // MARK: Tokens

    private mutating func count(_ start: Int) throws(WGSLLimits.Violation) {
        tokens.append(start..<at)
        guard tokenCount <= WGSLLimits.tokens else { throw violation("\(WGSLLimits.tokens) words and signs", start) }
        guard at - start <= WGSLLimits.wordLength else { throw violation("\(WGSLLimits.wordLength) bytes per word", start) }
        if isInFunction { functions[functions.count - 1].tokens += 1 }
    }

    private mutating func word(_ range: Range<Int>) throws(WGSLLimits.Violation) {
        let top = scopes.count - 1
        if reads(previous, "fn") {
            functions.append(Function(name: range, line: line, column: column(range.lowerBound)))
            isInFunction = true
        } else if reads(range, "else") {
            scopes[top].elses += 1
            try checkNesting(scopes[top].nesting + scopes[top].elses, range.lowerBound)
        } else if reads(range, "if") {
            if !reads(previous, "else") { scopes[top].elses = 0 }
        } else if reads(range, "for") || reads(range, "while") || reads(range, "loop") {
            loopCount += 1
            guard loopCount <= WGSLLimits.loops else {
                throw violation("\(WGSLLimits.loops) loops", range.lowerBound)
            }
        }
    }

    private mutating func sign(_ offset: Int) throws(WGSLLimits.Violation) {
        switch text[offset] {
        case UInt8(ascii: "("):
            if isInFunction, !previous.isEmpty, Self.isWord(text[previous.lowerBound]), !reads(beforePrevious, "fn") {
                functions[functions.count - 1].calls.append(previous)
            }
            let isArray = reads(previous, "array")
            try open(UInt8(ascii: ")"), offset)
            (scopes[scopes.count - 1].isArray, scopes[scopes.count - 1].firstToken) = (isArray, tokenCount + 1)
        case UInt8(ascii: "["): try open(UInt8(ascii: "]"), offset)
        case UInt8(ascii: "{"):
            try endExpression(offset)
            try open(UInt8(ascii: "}"), offset)
        case UInt8(ascii: "<"):
            // `<<` and `<=` are always operators; any other `<` may open a template list.
            if next(offset) == UInt8(ascii: "<") || next(offset) == UInt8(ascii: "=") {
                at += 1
                try addOperator(offset)
            } else {
                try open(UInt8(ascii: ">"), offset)
            }
        case UInt8(ascii: ">"):
            if scopes[scopes.count - 1].closing == UInt8(ascii: ">") { try close(offset) } else { try addOperator(offset) }
        case UInt8(ascii: ")"), UInt8(ascii: "]"):
            closeComparisons(before: text[offset])
            endArgument()
            if scopes[scopes.count - 1].closing == text[offset] { try close(offset) }
        case UInt8(ascii: "}"):
            closeComparisons(before: text[offset])
            if scopes[scopes.count - 1].closing == text[offset] {
                scopes.removeLast()
                if scopes.count == 1 { isInFunction = false }
            }
        case UInt8(ascii: ","):
            endArgument()
            let top = scopes.count - 1
            scopes[top].arguments += 1
            scopes[top].longest = max(scopes[top].longest, scopes[top].path)
            (scopes[top].operators, scopes[top].deepest) = (0, 0)
        case UInt8(ascii: ";"): try endExpression(offset)
        default: try addOperator(offset)
        }
    }

    // MARK: Depth

    private mutating func open(_ closing: UInt8, _ offset: Int) throws(WGSLLimits.Violation) {
        let outer = scopes[scopes.count - 1]
        let nesting = outer.nesting + outer.elses + 1
        try checkNesting(nesting, offset)
        scopes.append(Scope(closing: closing, nesting: nesting))
    }

    private func checkNesting(_ nesting: Int, _ offset: Int) throws(WGSLLimits.Violation) {
        guard nesting <= WGSLLimits.nesting else {
            throw violation("\(WGSLLimits.nesting) nested brackets, template lists and else branches", offset)
        }
    }

    private mutating func close(_ offset: Int) throws(WGSLLimits.Violation) {
        let inner = scopes.removeLast()
        if inner.isArray, inner.listsNames {
            elementCount = min(elementCount * inner.arguments, WGSLLimits.elements + 1)
            guard elementCount <= WGSLLimits.elements else { throw violation("\(WGSLLimits.elements) elements in nested arrays", offset) }
        }
        let top = scopes.count - 1
        scopes[top].deepest = max(scopes[top].deepest, max(inner.path, inner.longest))
        try addOperator(offset)
    }

    private mutating func addOperator(_ offset: Int) throws(WGSLLimits.Violation) {
        let top = scopes.count - 1
        scopes[top].operators += 1
        guard scopes[top].path <= WGSLLimits.operators else {
            throw violation("\(WGSLLimits.operators) operators per expression: split the expression", offset)
        }
    }

    /// Closes `<` without `>`, which is a comparison: its operators belong to the surrounding expression.
    private mutating func closeComparisons(before closing: UInt8) {
        // An unmatched closing bracket must not close a surrounding one.
        guard scopes.contains(where: { $0.closing == closing }) else { return }
        while scopes.count > 1, scopes[scopes.count - 1].closing == UInt8(ascii: ">") {
            let inner = scopes.removeLast()
            let top = scopes.count - 1
            scopes[top].longest = max(scopes[top].longest, inner.longest)
            scopes[top].operators += inner.operators + 1
            scopes[top].deepest = max(scopes[top].deepest, inner.deepest)
        }
    }

    private mutating func endExpression(_ offset: Int) throws(WGSLLimits.Violation) {
        while scopes.count > 1, scopes[scopes.count - 1].closing == UInt8(ascii: ">") {
            closeComparisons(before: UInt8(ascii: ">"))
        }
        let top = scopes.count - 1
        let path = scopes[top].path
        (scopes[top].operators, scopes[top].deepest, scopes[top].longest) = (0, 0, 0)
        guard path <= WGSLLimits.operators else {
            throw violation("\(WGSLLimits.operators) operators per expression: split the expression", offset)
        }
    }

    // MARK: Sizes

    /// Records whether the argument that ends here is one name.
    private mutating func endArgument() {
        let top = scopes.count - 1
        let isName = !previous.isEmpty && Self.isWord(text[previous.lowerBound]) && !Self.isDigit(text[previous.lowerBound])
        if scopes[top].isArray, isName, tokenCount - scopes[top].firstToken == 1 { scopes[top].listsNames = true }
        scopes[top].firstToken = tokenCount + 1
    }

    private mutating func checkArrays() throws(WGSLLimits.Violation) {
        var arrays = WGSLArrays(text, tokens)
        guard let offset = arrays.firstViolation() else { return }
        let before = text[..<offset]
        line = before.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        lineStart = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        throw violation("\(WGSLLimits.elements) elements per array, including nested arrays", offset)
    }

    /// Checks the size of each function with all its calls inlined.
    private func checkInlining() throws(WGSLLimits.Violation) {
        var numbers: [ArraySlice<UInt8>: Int] = [:]
        for (index, function) in functions.enumerated() { numbers[text[function.name]] = index }
        let calls = functions.map { function in function.calls.compactMap { numbers[text[$0]] } }
        // In the order in which the sizes of all callees are known; the compiler rejects recursive functions, which are never reached.
        var sizes = functions.map { $0.tokens }
        var waiting = calls.map { $0.count }
        var callers = [[Int]](repeating: [], count: functions.count)
        for (index, callees) in calls.enumerated() { for callee in callees { callers[callee].append(index) } }
        var ready = functions.indices.filter { waiting[$0] == 0 }
        while let index = ready.popLast() {
            guard sizes[index] <= WGSLLimits.inlined else {
                throw WGSLLimits.Violation(
                    line: functions[index].line, column: functions[index].column,
                    text:
                        "the shader exceeds the limit of \(WGSLLimits.inlined) words and signs per function, including the functions that it calls"
                )
            }
            for caller in callers[index] {
                sizes[caller] = min(sizes[caller] + sizes[index], WGSLLimits.inlined + 1)
                waiting[caller] -= 1
                if waiting[caller] == 0 { ready.append(caller) }
            }
        }
    }

    // MARK: Bytes

    /// Skips white space and comments; returns whether there were any. Comments end at every line break that WGSL defines, so that no code is
    /// hidden behind another kind of line break.
    private mutating func skipBlanks() throws(WGSLLimits.Violation) -> Bool {
        if text[at] <= 0x20 {
            newLine()
            at += 1
            return true
        }
        guard text[at] == UInt8(ascii: "/") else { return false }
        if next(at) == UInt8(ascii: "/") {
            while at < text.count, !isLineBreak { at += 1 }
            return true
        }
        guard next(at) == UInt8(ascii: "*") else { return false }
        var depth = 0
        while at < text.count {
            newLine()
            let pair = (text[at], next(at))
            if pair == (UInt8(ascii: "/"), UInt8(ascii: "*")) {
                depth += 1
                at += 2
            } else if pair == (UInt8(ascii: "*"), UInt8(ascii: "/")) {
                depth -= 1
                at += 2
                if depth == 0 { break }
            } else {
                at += 1
            }
        }
        return true
    }

    private var isLineBreak: Bool {
        switch text[at] {
        case 0x0A...0x0D: true
        case 0xC2: next(at) == 0x85
        case 0xE2: next(at) == 0x80 && at + 2 < text.count && (text[at + 2] == 0xA8 || text[at + 2] == 0xA9)
        default: false
        }
    }

    private mutating func newLine() { if text[at] == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, at + 1) } }

    private func next(_ offset: Int) -> UInt8 { offset + 1 < text.count ? text[offset + 1] : 0 }

    private func reads(_ range: Range<Int>, _ word: StaticString) -> Bool { word.withUTF8Buffer { text[range].elementsEqual($0) } }

    /// Returns whether the byte is a letter, a digit, an underscore or part of a non-ASCII character.
    private static func isWord(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return (letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")) || isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private func column(_ offset: Int) -> Int { text[min(lineStart, offset)..<offset].count { $0 & 0xC0 != 0x80 } + 1 }

    private func violation(_ text: String, _ offset: Int = 0) -> WGSLLimits.Violation {
        WGSLLimits.Violation(line: line, column: column(max(offset, lineStart)), text: "the shader exceeds the limit of " + text)
    }
}
