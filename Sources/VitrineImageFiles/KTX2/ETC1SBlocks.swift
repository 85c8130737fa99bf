/// The blocks of one slice of a BasisLZ image, each with the index of its endpoint and of its selector.
struct ETC1SBlocks {
    private let codebooks: BasisLZ
    private let columns, rows: Int
    private var bits: BasisBits
    private(set) var endpoints: [Int] = []
    private(set) var selectors: [Int] = []

    // How a block's endpoint is predicted from others, for four blocks at once.
    private var predictions: [Int]
    private var lastPredictions = 0
    private var predictionRun = 0
    private var lastEndpoint = 0
    // The recently used selectors, approximately in order of their last use.
    private var history: [Int]
    private var rover: Int
    private var selectorRun = 0

    /// The offsets that a selector's numbers add to the endpoint's colour, by the endpoint's table.
    static let modifiers: [[Int]] = [
        [-8, -2, 2, 8], [-17, -5, 5, 17], [-29, -9, 9, 29], [-42, -13, 13, 42], [-60, -18, 18, 60], [-80, -24, 24, 80],
        [-106, -33, 33, 106], [-183, -47, 47, 183],
    ]

    /// Returns nil for an invalid slice.
    init?(_ codebooks: BasisLZ, slice: ArraySlice<UInt8>, columns: Int, rows: Int) {
        (self.codebooks, self.columns, self.rows) = (codebooks, columns, rows)
        bits = BasisBits(slice)
        predictions = Array(repeating: 0, count: columns)
        history = Array(repeating: 0, count: codebooks.historyCount)
        rover = codebooks.historyCount / 2
        endpoints.reserveCapacity(columns * rows)
        selectors.reserveCapacity(columns * rows)
        for y in 0..<rows {
            var prediction = 0
            for x in 0..<columns {
                if x & 1 == 0 {
                    guard let next = nextPredictions(x, y) else { return nil }
                    prediction = next
                }
                guard let endpoint = endpoint(x, y, rule: prediction & 3), let selector = selector() else { return nil }
                prediction >>= 2
                endpoints.append(endpoint)
                selectors.append(selector)
                lastEndpoint = endpoint
            }
            if bits.isExhausted { return nil }
        }
    }

    /// Returns the predictions of two adjacent blocks; on even rows, those of the two blocks below are stored with them.
    private mutating func nextPredictions(_ x: Int, _ y: Int) -> Int? {
        guard y & 1 == 0 else { return predictions[x] }
        if predictionRun > 0 {
            predictionRun -= 1
        } else {
            guard let symbol = codebooks.predictions.symbol(&bits) else { return nil }
            if symbol == 256 {
                guard let count = bits.variable(4) else { return nil }
                predictionRun = count + 2
            } else {
                lastPredictions = symbol
            }
        }
        predictions[x] = lastPredictions >> 4
        return lastPredictions
    }

    private mutating func endpoint(_ x: Int, _ y: Int, rule: Int) -> Int? {
        let index = endpoints.count
        switch rule {
        case 0: return x > 0 ? lastEndpoint : nil
        case 1: return y > 0 ? endpoints[index - columns] : nil
        case 2: return x > 0 && y > 0 ? endpoints[index - columns - 1] : nil
        default:
            guard let delta = codebooks.endpointDeltas.symbol(&bits) else { return nil }
            let next = lastEndpoint + delta
            let wrapped = next >= codebooks.endpoints.count ? next - codebooks.endpoints.count : next
            return wrapped < codebooks.endpoints.count ? wrapped : nil
        }
    }

    private mutating func selector() -> Int? {
        let count = codebooks.selectors.count
        var symbol = count
        if selectorRun > 0 {
            selectorRun -= 1
        } else {
            guard let next = codebooks.selectorCodes.symbol(&bits) else { return nil }
            symbol = next
            if symbol == count + history.count {
                guard let run = codebooks.runs.symbol(&bits) else { return nil }
                var length = run
                if run == 63 {
                    guard let long = bits.variable(7) else { return nil }
                    length = long
                }
                selectorRun = length + 2
                symbol = count
            }
        }
        guard symbol >= count else {
            remember(symbol)
            return symbol
        }
        let index = symbol - count
        guard index < history.count, history[index] < count else { return nil }
        let found = history[index]
        if index > 0 { history.swapAt(index, index / 2) }
        return found
    }

    private mutating func remember(_ selector: Int) {
        guard !history.isEmpty else { return }
        history[rover] = selector
        rover += 1
        if rover == history.count { rover = history.count / 2 }
    }

    /// Calls `body` with each pixel inside `width` × `height` and its colour.
    func forEachPixel(width: Int, height: Int, _ body: (_ x: Int, _ y: Int, _ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Void) {
        for block in endpoints.indices {
            let (left, top) = (block % columns * 4, block / columns * 4)
            let endpoint = codebooks.endpoints[endpoints[block]]
            let modifiers = Self.modifiers[Int(endpoint.table)]
            func widened(_ five: UInt8) -> Int { Int(five << 3 | five >> 2) }
            let (red, green, blue) = (widened(endpoint.red), widened(endpoint.green), widened(endpoint.blue))
            let colours = modifiers.map { change in
                (UInt8(clamping: red + change), UInt8(clamping: green + change), UInt8(clamping: blue + change))
            }
            var selector = codebooks.selectors[selectors[block]]
            for y in 0..<4 {
                for x in 0..<4 {
                    let colour = colours[Int(selector & 3)]
                    selector >>= 2
                    if left + x < width, top + y < height { body(left + x, top + y, colour.0, colour.1, colour.2) }
                }
            }
        }
    }
}
