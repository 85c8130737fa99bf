/// Computes the element counts of a module's array types: the product of the lengths of nested arrays, through aliases and structures.
///
/// A compiler that zeroes a variable, or a driver that copies one, needs time and memory proportional to this product, and a short source
/// can make it arbitrarily large: `alias A = array<f32, 65536>; alias B = array<A, 65536>;`.
struct WGSLArrays {
    private typealias Name = ArraySlice<UInt8>

    private let text: [UInt8]
    /// The module's tokens as ranges of `text`. Only `<<` and `<=` are two-byte tokens.
    private let tokens: [Range<Int>]
    /// The definitions by name, as tokens: the types of aliases and of structure members, and the expressions of constants. For a name that is
    /// declared several times, in different functions, the largest value counts.
    private var types: [Name: [Range<Int>]] = [:]
    private var constants: [Name: [Range<Int>]] = [:]
    private var elementsOfType: [Name: Int] = [:]
    private var valueOfConstant: [Name: Int] = [:]
    private var depth = 0

    /// The limit up to which products are computed.
    private static let most = WGSLLimits.elements + 1
    /// The limit of the recursion through aliases of aliases and constants of constants.
    private static let nesting = WGSLLimits.nesting

    init(_ text: [UInt8], _ tokens: [Range<Int>]) {
        (self.text, self.tokens) = (text, tokens)
        for at in tokens.indices where at + 2 < tokens.count {
            if reads(at, "alias") || reads(at, "const") {
                guard let equals = first(UInt8(ascii: "="), from: at + 2), let end = first(UInt8(ascii: ";"), from: equals) else {
                    continue
                }
                if reads(at, "alias") {
                    types[name(at + 1), default: []].append(equals + 1..<end)
                } else {
                    constants[name(at + 1), default: []].append(equals + 1..<end)
                }
            } else if reads(at, "struct"), sign(at + 2) == UInt8(ascii: "{"), let end = first(UInt8(ascii: "}"), from: at + 3) {
                types[name(at + 1), default: []] += members(at + 3..<end)
            }
        }
    }

    /// Searches the source for an array that is too long.
    ///
    /// - Returns: The position in the text of the first array type of more than `WGSLLimits.elements` elements; nil if there is none.
    mutating func firstViolation() -> Int? {
        var at = 0
        while at + 1 < tokens.count {
            defer { at += 1 }
            guard reads(at, "array"), sign(at + 1) == UInt8(ascii: "<") else { continue }
            depth = 0
            if elements(at..<tokens.count) > WGSLLimits.elements { return tokens[at].lowerBound }
            // The arrays inside have no more elements than this one.
            at = closing(at + 1, tokens.count) ?? at
        }
        return nil
    }

    // MARK: Types

    /// Returns the number of array elements of the type at the start of `range`; 1 for a type without arrays.
    private mutating func elements(_ range: Range<Int>) -> Int {
        var at = range.lowerBound
        // Skips attributes of members, such as @align(16).
        while at < range.upperBound, sign(at) == UInt8(ascii: "@") {
            at += 2
            if at < range.upperBound, sign(at) == UInt8(ascii: "(") { at = (closing(at, range.upperBound) ?? range.upperBound) + 1 }
        }
        guard at < range.upperBound else { return 1 }
        let isTemplate = at + 1 < range.upperBound && sign(at + 1) == UInt8(ascii: "<")
        guard isTemplate else { return elements(named: name(at)) }
        // The compiler rejects brackets without an end.
        guard let end = closing(at + 1, range.upperBound) else { return 1 }
        guard enter() else { return Self.most }
        defer { depth -= 1 }
        let arguments = arguments(at + 2..<end)
        guard reads(at, "array"), let first = arguments.first else {
            return arguments.reduce(1) { max($0, elements($1)) }
        }
        let inner = elements(first)
        guard arguments.count > 1 else { return inner }
        // A length that only the compiler can compute, such as an override or a function call, counts as the largest.
        let length = value(arguments[1]) ?? WGSLLimits.elements
        return Self.product(inner, max(1, length))
    }

    private mutating func elements(named name: Name) -> Int {
        if let known = elementsOfType[name] { return known }
        guard let meanings = types[name] else { return 1 }
        guard enter() else { return Self.most }
        defer { depth -= 1 }
        // Only array members add up: a structure without arrays is one element.
        var sum = 0
        for meaning in meanings {
            let count = elements(meaning)
            if count > 1 { sum = min(Self.most, sum + count) }
        }
        elementsOfType[name] = max(1, sum)
        return max(1, sum)
    }

    // MARK: Lengths

    /// Returns the value of a constant expression of whole numbers; nil for any other expression.
    private mutating func value(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty, enter() else { return nil }
        defer { depth -= 1 }
        var at = range.lowerBound
        guard let sum = shifted(&at, range.upperBound), at == range.upperBound else { return nil }
        return sum
    }

    private mutating func shifted(_ at: inout Int, _ end: Int) -> Int? {
        guard var result = sum(&at, end) else { return nil }
        while at < end, reads(at, "<<") {
            at += 1
            guard let bits = sum(&at, end), (0...31).contains(bits) else { return nil }
            result = Self.product(result, 1 << bits)
        }
        return result
    }

    private mutating func sum(_ at: inout Int, _ end: Int) -> Int? {
        guard var result = product(&at, end) else { return nil }
        while at < end, sign(at) == UInt8(ascii: "+") || sign(at) == UInt8(ascii: "-") {
            let isMinus = sign(at) == UInt8(ascii: "-")
            at += 1
            guard let next = product(&at, end) else { return nil }
            // The difference of saturated numbers is unknown.
            if isMinus, max(result, next) >= Self.most { return nil }
            result = isMinus ? result - next : min(Self.most, result + next)
        }
        return result
    }

    private mutating func product(_ at: inout Int, _ end: Int) -> Int? {
        guard var result = factor(&at, end) else { return nil }
        while at < end, sign(at) == UInt8(ascii: "*") || sign(at) == UInt8(ascii: "/") || sign(at) == UInt8(ascii: "%") {
            let operation = sign(at)
            at += 1
            guard let next = factor(&at, end) else { return nil }
            if operation == UInt8(ascii: "*") {
                result = Self.product(result, next)
            } else {
                guard next > 0, max(result, next) < Self.most else { return nil }
                result = operation == UInt8(ascii: "/") ? result / next : result % next
            }
        }
        return result
    }

    private mutating func factor(_ at: inout Int, _ end: Int) -> Int? {
        guard at < end else { return nil }
        if reads(at, "u32") || reads(at, "i32") {
            at += 1
            guard at < end, sign(at) == UInt8(ascii: "(") else { return nil }
        }
        if sign(at) == UInt8(ascii: "(") {
            guard let close = closing(at, end), let inner = value(at + 1..<close) else { return nil }
            at = close + 1
            return inner
        }
        defer { at += 1 }
        if let number = number(at) { return number }
        // A call or a member access is not the name of a constant.
        if at + 1 < end, sign(at + 1) == UInt8(ascii: "(") || sign(at + 1) == UInt8(ascii: ".") { return nil }
        return value(named: name(at))
    }

    private mutating func value(named name: Name) -> Int? {
        if let known = valueOfConstant[name] { return known }
        guard let meanings = constants[name] else { return nil }
        var largest: Int?
        for meaning in meanings {
            guard let value = value(meaning) else { return nil }
            largest = max(largest ?? value, value)
        }
        valueOfConstant[name] = largest
        return largest
    }

    /// Parses a whole number, decimal or hexadecimal.
    private func number(_ at: Int) -> Int? {
        var digits = text[tokens[at]]
        guard let first = digits.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") else { return nil }
        let isHexadecimal = digits.count > 2 && digits[digits.startIndex + 1] | 0x20 == UInt8(ascii: "x")
        if isHexadecimal { digits = digits.dropFirst(2) }
        if let last = digits.last, last | 0x20 == UInt8(ascii: "u") || last | 0x20 == UInt8(ascii: "i") { digits = digits.dropLast() }
        var result = 0
        for byte in digits {
            let letter = byte | 0x20
            if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                result = result * (isHexadecimal ? 16 : 10) + Int(byte - UInt8(ascii: "0"))
            } else if isHexadecimal, letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "f") {
                result = result * 16 + 10 + Int(letter - UInt8(ascii: "a"))
            } else {
                return nil
            }
            result = min(result, Self.most)
        }
        return result
    }

    /// Returns the product, limited to `most`. Factors may be negative; only the upper bound is limited.
    private static func product(_ a: Int, _ b: Int) -> Int {
        let (product, overflows) = a.multipliedReportingOverflow(by: b)
        return overflows ? most : min(most, max(-most, product))
    }

    // MARK: Tokens

    /// Increments the depth and returns whether one more level of names or brackets may be resolved; the caller decrements `depth`.
    private mutating func enter() -> Bool {
        guard depth < Self.nesting else { return false }
        depth += 1
        return true
    }

    /// Returns the types of a structure's members: the tokens between `:` and the comma.
    private func members(_ range: Range<Int>) -> [Range<Int>] {
        arguments(range).compactMap { member in
            first(UInt8(ascii: ":"), from: member.lowerBound).flatMap { $0 + 1 < member.upperBound ? $0 + 1..<member.upperBound : nil }
        }
    }

    /// Splits a range at commas outside brackets.
    private func arguments(_ range: Range<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var (start, open) = (range.lowerBound, 0)
        for at in range {
            switch sign(at) {
            case UInt8(ascii: "<") where !reads(at, "<<") && !reads(at, "<="), UInt8(ascii: "("), UInt8(ascii: "["): open += 1
            case UInt8(ascii: ">"), UInt8(ascii: ")"), UInt8(ascii: "]"): open -= 1
            case UInt8(ascii: ",") where open == 0:
                result.append(start..<at)
                start = at + 1
            default: break
            }
        }
        if start < range.upperBound { result.append(start..<range.upperBound) }
        return result
    }

    /// Returns the index of the bracket that closes the one at `open`.
    private func closing(_ open: Int, _ end: Int) -> Int? {
        let isTemplate = sign(open) == UInt8(ascii: "<")
        var (angles, brackets) = (0, 0)
        for at in open..<end {
            switch sign(at) {
            case UInt8(ascii: "("), UInt8(ascii: "["): brackets += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"):
                brackets -= 1
                if !isTemplate, brackets == 0 { return at }
                if brackets < 0 { return nil }
            case UInt8(ascii: "<") where brackets == 0 && !reads(at, "<<") && !reads(at, "<="): angles += 1
            case UInt8(ascii: ">") where brackets == 0:
                angles -= 1
                if isTemplate, angles == 0 { return at }
            case UInt8(ascii: ";"), UInt8(ascii: "{"), UInt8(ascii: "}"): return nil
            default: break
            }
        }
        return nil
    }

    /// Returns the index of the next token that equals this character, before the end of the statement.
    private func first(_ wanted: UInt8, from start: Int) -> Int? {
        for at in start..<max(start, tokens.count) {
            if sign(at) == wanted { return at }
            if sign(at) == UInt8(ascii: ";") || (wanted != UInt8(ascii: "}") && sign(at) == UInt8(ascii: "}")) { return nil }
        }
        return nil
    }

    private func sign(_ at: Int) -> UInt8 { text[tokens[at].lowerBound] }
    private func name(_ at: Int) -> Name { text[tokens[at]] }
    private func reads(_ at: Int, _ word: StaticString) -> Bool { word.withUTF8Buffer { text[tokens[at]].elementsEqual($0) } }
}
