import VitrineMath

extension Path {
    /// Creates a path from SVG path data (SVG 2, chapter 9: all commands, absolute and relative).
    ///
    /// SVG's y points down: the path is mirrored (y = −y), so that it is upright.
    ///
    /// ```swift
    /// let tick = try Path(svg: "M2 9 L7 14 L17 3").fitted(height: 1)
    /// ```
    ///
    /// - Throws: `PathError.pathData` with the byte offset of the error. Unlike browsers, does not draw the commands before the error.
    public init(svg data: String) throws(PathError) {
        var reader = PathDataReader(data)
        try reader.read()
        self = reader.path.mapPoints { Vector2($0.x, -$0.y) }
    }
}

/// Parses SVG path data, y down.
private struct PathDataReader {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var path = Path()
    /// The second control point of the last curve, from which a smooth curve continues.
    private var lastCubicControl: Vector2?
    private var lastQuadraticControl: Vector2?

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func read() throws(PathError) {
        skipSpace()
        guard position < bytes.count else { return }
        guard bytes[position] | 0x20 == UInt8(ascii: "m") else { throw fail("path data must begin with M") }
        while position < bytes.count {
            let command = bytes[position]
            guard PathDataReader.isCommand(command) else { throw fail("a command is expected") }
            position += 1
            try run(command)
            skipSpace()
        }
    }

    private static func isCommand(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "m"), UInt8(ascii: "l"), UInt8(ascii: "h"), UInt8(ascii: "v"), UInt8(ascii: "c"), UInt8(ascii: "s"),
            UInt8(ascii: "q"), UInt8(ascii: "t"), UInt8(ascii: "a"), UInt8(ascii: "z"):
            byte >= UInt8(ascii: "A")
        default: false
        }
    }

    /// Parses one command with all its arguments: further numbers repeat the command.
    private mutating func run(_ command: UInt8) throws(PathError) {
        let isRelative = command & 0x20 != 0
        if command | 0x20 == UInt8(ascii: "z") {
            path.close()
            (lastCubicControl, lastQuadraticControl) = (nil, nil)
            return
        }
        var isFirst = true
        repeat {
            let origin = isRelative ? path.currentPoint : Vector2(0, 0)
            try step(command | 0x20, origin: origin, isRelative: isRelative, isFirst: isFirst)
            isFirst = false
            guard path.elements.count <= Path.maximumPieces * 4 else { throw fail("too many commands") }
        } while atNumber()
    }

    private mutating func step(_ kind: UInt8, origin: Vector2, isRelative: Bool, isFirst: Bool) throws(PathError) {
        let (cubicBefore, quadraticBefore) = (lastCubicControl, lastQuadraticControl)
        (lastCubicControl, lastQuadraticControl) = (nil, nil)
        let pen = path.currentPoint
        switch kind {
        case UInt8(ascii: "m"):
            let point = try point() + origin
            if isFirst { path.move(to: point) } else { path.line(to: point) }
        case UInt8(ascii: "l"): path.line(to: try point() + origin)
        case UInt8(ascii: "h"): path.line(to: Vector2(try number() + origin.x, pen.y))
        case UInt8(ascii: "v"): path.line(to: Vector2(pen.x, try number() + origin.y))
        case UInt8(ascii: "c"):
            let (first, second, end) = (try point() + origin, try point() + origin, try point() + origin)
            cubic(end, first, second)
        case UInt8(ascii: "s"):
            let (second, end) = (try point() + origin, try point() + origin)
            cubic(end, cubicBefore.map { pen * 2 - $0 } ?? pen, second)
        case UInt8(ascii: "q"):
            let (control, end) = (try point() + origin, try point() + origin)
            quadratic(end, control)
        case UInt8(ascii: "t"): quadratic(try point() + origin, quadraticBefore.map { pen * 2 - $0 } ?? pen)
        default: try arc(origin: origin)
        }
    }

    private mutating func cubic(_ end: Vector2, _ first: Vector2, _ second: Vector2) {
        path.cubic(to: end, control1: first, control2: second)
        lastCubicControl = second
    }

    private mutating func quadratic(_ end: Vector2, _ control: Vector2) {
        path.quadratic(to: end, control: control)
        lastQuadraticControl = control
    }

    /// Converts an arc from end points to centre parametrization: SVG 2, appendix B.2.4.
    private mutating func arc(origin: Vector2) throws(PathError) {
        let asked = try point()
        let turn = Angle.degrees(try number())
        let (isLarge, isPositive) = (try flag(), try flag())
        let (from, to) = (path.currentPoint, try point() + origin)
        var radii = Vector2(abs(asked.x), abs(asked.y))
        guard radii.min() > 0, from != to else {
            path.line(to: to)
            return
        }
        let (s, c) = (sin(turn.radians), cos(turn.radians))
        let half = (from - to) / 2
        let inFrame = Vector2(c * half.x + s * half.y, c * half.y - s * half.x)
        // Radii that are too small are increased.
        let reach = lengthSquared(inFrame / radii)
        if reach > 1 { radii *= reach.squareRoot() }
        let offAxis = lengthSquared(inFrame / radii)
        let distance = (max(0, 1 - offAxis) / offAxis).squareRoot() * (isLarge == isPositive ? -1 : 1)
        let center = Vector2(radii.x * inFrame.y / radii.y, -radii.y * inFrame.x / radii.x) * distance
        let (startOnCircle, endOnCircle) = ((inFrame - center) / radii, (-inFrame - center) / radii)
        let start = atan2(startOnCircle.y, startOnCircle.x)
        var sweep = atan2(endOnCircle.y, endOnCircle.x) - start
        if isPositive, sweep < 0 { sweep += 2 * .pi }
        if !isPositive, sweep > 0 { sweep -= 2 * .pi }
        let middle = Vector2(c * center.x - s * center.y, s * center.x + c * center.y) + (from + to) / 2
        path.addArc(
            center: middle, axes: (Vector2(c, s) * radii.x, Vector2(-s, c) * radii.y), start: start, sweep: sweep, end: to)
    }

    // MARK: Characters

    private func fail(_ reason: String) -> PathError { .pathData(offset: position, reason: reason) }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(bytes[position]) { position += 1 }
    }

    /// Skips spaces with at most one comma.
    private mutating func skipSeparator() {
        skipSpace()
        if position < bytes.count, bytes[position] == UInt8(ascii: ",") {
            position += 1
            skipSpace()
        }
    }

    /// Returns whether a number follows, without consuming it.
    private mutating func atNumber() -> Bool {
        let before = position
        defer { position = before }
        skipSeparator()
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        return isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private mutating func point() throws(PathError) -> Vector2 { Vector2(try number(), try number()) }

    /// Parses 0 or 1, which need no following space.
    private mutating func flag() throws(PathError) -> Bool {
        skipSeparator()
        guard position < bytes.count, bytes[position] == UInt8(ascii: "0") || bytes[position] == UInt8(ascii: "1") else {
            throw fail("an arc flag must be 0 or 1")
        }
        position += 1
        return bytes[position - 1] == UInt8(ascii: "1")
    }

    private mutating func number() throws(PathError) -> Float {
        skipSeparator()
        let start = position
        var isNegative = false
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
            isNegative = bytes[position] == UInt8(ascii: "-")
            position += 1
        }
        var (mantissa, exponent, digits) = (0.0, 0, 0)
        var isFraction = false
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else if isDigit(bytes[position]) {
                // Digits after the 17th do not affect the result.
                if digits < 17 || mantissa == 0 {
                    mantissa = mantissa * 10 + Double(bytes[position] - UInt8(ascii: "0"))
                    if isFraction { exponent -= 1 }
                } else if !isFraction {
                    exponent += 1
                }
                digits += 1
            } else {
                break
            }
            position += 1
        }
        guard digits > 0 else {
            position = start
            throw fail("a number is expected")
        }
        exponent += exponentPart()
        let magnitude = scaled(mantissa, by: exponent)
        guard Float(magnitude).isFinite else {
            position = start
            throw fail("the number is too large")
        }
        return Float(isNegative ? -magnitude : magnitude)
    }

    /// Parses `e`, a sign and digits; returns 0 if there are none.
    private mutating func exponentPart() -> Int {
        guard position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") else { return 0 }
        var next = position + 1
        var isNegative = false
        if next < bytes.count, bytes[next] == UInt8(ascii: "-") || bytes[next] == UInt8(ascii: "+") {
            isNegative = bytes[next] == UInt8(ascii: "-")
            next += 1
        }
        guard next < bytes.count, isDigit(bytes[next]) else { return 0 }
        var value = 0
        while next < bytes.count, isDigit(bytes[next]) {
            value = min(value * 10 + Int(bytes[next] - UInt8(ascii: "0")), 10_000)
            next += 1
        }
        position = next
        return isNegative ? -value : value
    }

    private func scaled(_ mantissa: Double, by exponent: Int) -> Double {
        guard mantissa > 0 else { return 0 }
        if exponent > 60 { return .infinity }
        if exponent < -400 { return 0 }
        var power = 1.0
        for _ in 0..<abs(exponent) { power *= 10 }
        return exponent < 0 ? mantissa / power : mantissa * power
    }
}
