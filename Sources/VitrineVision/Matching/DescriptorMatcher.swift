import CDescriptors

/// Nearest-neighbour search among descriptors.
enum DescriptorMatcher {
    struct Match {
        var first, second: Int32
        /// The ratio of the squared distances to the nearest and the second nearest: smaller is more reliable.
        var ratio: Float
        /// The squared distance.
        var distance: Int32
    }

    /// The scalar product of two descriptors.
    @inline(__always) static func product(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>) -> Int32 {
        vitrine_descriptor_product(a, b)
    }

    /// The squared length of each descriptor.
    static func squares(_ descriptors: [UInt8]) -> [Int32] {
        descriptors.withUnsafeBufferPointer { d in
            (0..<d.count / 128).map { product(d.baseAddress! + 128 * $0, d.baseAddress! + 128 * $0) }
        }
    }

    /// Mutual nearest neighbours among the first `firstCount` and `secondCount` descriptors that pass the ratio test.
    ///
    /// - Parameter ratio: The largest ratio of the distances to the nearest and the second nearest (Lowe 2004).
    static func mutual(
        _ first: PreparedFeatures, _ firstCount: Int, _ second: PreparedFeatures, _ secondCount: Int, ratio: Float
    ) -> [Match] {
        mutual(
            (first.features.descriptors, first.squares), firstCount, (second.features.descriptors, second.squares), secondCount,
            ratio: ratio)
    }

    /// The same for descriptors with their squared lengths.
    static func mutual(
        _ first: (bytes: [UInt8], squares: [Int32]), _ firstCount: Int, _ second: (bytes: [UInt8], squares: [Int32]), _ secondCount: Int,
        ratio: Float
    ) -> [Match] {
        let rows = min(firstCount, first.squares.count)
        let columns = min(secondCount, second.squares.count)
        guard rows > 0, columns > 1 else { return [] }
        // Whole vectors of 8 columns; those past the end have infinite distances.
        let padded = (columns + 7) / 8 * 8
        let far = Int32.max / 4
        var squares = [Int32](repeating: far, count: padded)
        for j in 0..<columns { squares[j] = second.squares[j] }
        var products = [Int32](repeating: 0, count: 2 * padded)
        var columnBest = [Int32](repeating: .max, count: padded)
        var columnRow = [Int32](repeating: -1, count: padded)
        var matches: [Match] = []
        var candidates: [Match] = []
        first.bytes.withUnsafeBufferPointer { a in
            second.bytes.withUnsafeBufferPointer { b in
                products.withUnsafeMutableBufferPointer { products in
                    var row = 0
                    while row < rows {
                        let pair = min(2, rows - row)
                        // With an odd count the last row is processed twice.
                        let next = pair == 2 ? row + 1 : row
                        vitrine_descriptor_products(
                            a.baseAddress! + 128 * row, a.baseAddress! + 128 * next, b.baseAddress!, columns, products.baseAddress!,
                            products.baseAddress! + padded)
                        for k in 0..<pair {
                            let best = nearest(
                                products.baseAddress! + k * padded, squares, first.squares[row + k], Int32(row + k), &columnBest, &columnRow
                            )
                            if let match = match(Int32(row + k), best.column, best.nearest, best.second, ratio: ratio) {
                                candidates.append(match)
                            }
                        }
                        row += pair
                    }
                }
            }
        }
        for match in candidates where columnRow[Int(match.second)] == match.first { matches.append(match) }
        return matches
    }

    /// The same from neighbours that a `DescriptorSearch` found.
    static func mutual(_ neighbors: DescriptorNeighbors, ratio: Float) -> [Match] {
        neighbors.nearest.indices.compactMap { row in
            let nearest = neighbors.nearest[row]
            guard let match = match(Int32(row), nearest.index, nearest.distance, nearest.second, ratio: ratio),
                neighbors.owners[Int(match.second)] == match.first
            else { return nil }
            return match
        }
    }

    /// The match of a descriptor with its nearest; nil if it fails the ratio test or is too far away.
    private static func match(_ row: Int32, _ column: Int32, _ nearest: Int32, _ second: Int32, ratio: Float) -> Match? {
        let share = Float(max(nearest, 0)) / Float(max(second, 1))
        return share < ratio * ratio && nearest < limit ? Match(first: row, second: column, ratio: share, distance: nearest) : nil
    }

    /// The largest squared distance of a match: 0.8 of the descriptors' length.
    static let limit: Int32 = 410 * 410

    private static func nearest(
        _ products: UnsafePointer<Int32>, _ squares: [Int32], _ square: Int32, _ row: Int32, _ columnBest: inout [Int32],
        _ columnRow: inout [Int32]
    ) -> (nearest: Int32, second: Int32, column: Int32) {
        var best = SIMD8<Int32>(repeating: .max)
        var second = best
        var index = SIMD8<Int32>(repeating: 0)
        var column = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
        let rows = SIMD8<Int32>(repeating: row)
        let count = squares.count
        squares.withUnsafeBytes { squares in
            columnBest.withUnsafeMutableBytes { columnBest in
                columnRow.withUnsafeMutableBytes { columnRow in
                    let products = UnsafeRawPointer(products)
                    var j = 0
                    while j < count {
                        let offset = 4 &* j
                        let product = products.loadUnaligned(fromByteOffset: offset, as: SIMD8<Int32>.self)
                        let distance =
                            squares.baseAddress!.loadUnaligned(fromByteOffset: offset, as: SIMD8<Int32>.self) &+ square
                            &- product &- product
                        let isBetter = distance .< best
                        second = pointwiseMin(second, pointwiseMax(best, distance))
                        best = pointwiseMin(best, distance)
                        index.replace(with: column, where: isBetter)
                        column &+= 8
                        var least = columnBest.baseAddress!.loadUnaligned(fromByteOffset: offset, as: SIMD8<Int32>.self)
                        var owner = columnRow.baseAddress!.loadUnaligned(fromByteOffset: offset, as: SIMD8<Int32>.self)
                        owner.replace(with: rows, where: distance .< least)
                        least = pointwiseMin(least, distance)
                        columnBest.storeBytes(of: least, toByteOffset: offset, as: SIMD8<Int32>.self)
                        columnRow.storeBytes(of: owner, toByteOffset: offset, as: SIMD8<Int32>.self)
                        j &+= 8
                    }
                }
            }
        }
        var lane = 0
        for k in 1..<8 where best[k] < best[lane] || (best[k] == best[lane] && index[k] < index[lane]) { lane = k }
        var next = second[lane]
        for k in 0..<8 where k != lane { next = min(next, best[k]) }
        return (best[lane], next, index[lane])
    }
}
