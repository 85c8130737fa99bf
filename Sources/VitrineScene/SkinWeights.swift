/// Normalizes the skin weights of each vertex to a sum of 1.
///
/// Weights are stored in sets of four per vertex (`VertexSemantic.weights`); the sum includes all sets. glTF's validator accepts a deviation of
/// 2e-7 per weight above 0, which is close to the rounding error of 32-bit numbers.
package enum SkinWeights {
    /// The corrections by `normalize(_:)`.
    package struct Repair: Equatable, Sendable {
        /// The number of weights that were negative, infinite or not a number, and became 0.
        package var invalid = 0
        /// The number of vertices whose sum deviated from 1 by more than 2 %, which exceeds the rounding error of 8-bit weights.
        package var scaled = 0
    }

    /// Scales the weights of each vertex so that they sum to 1 within the rounding error of one number. Sums that are as exact do not change.
    ///
    /// - Parameters:
    ///   - sets: The weights, four per vertex, for the same number of vertices in each set.
    ///   - fillsUnweighted: Whether vertices without weights get the weight 1 for their first joint. Default false: they do not change.
    package static func normalize(_ sets: inout [[Float]], fillsUnweighted: Bool = false) -> Repair {
        var repair = Repair()
        guard let count = sets.first?.count else { return repair }
        for first in stride(from: 0, to: count - 3, by: 4) {
            var (sum, largest, largestSet, largestIndex) = (0.0, Float(-1), 0, first)
            for set in sets.indices {
                for index in first..<first + 4 {
                    let weight = sets[set][index]
                    guard weight >= 0, weight.isFinite else {
                        repair.invalid += 1
                        sets[set][index] = 0
                        continue
                    }
                    sum += Double(weight)
                    if weight > largest { (largest, largestSet, largestIndex) = (weight, set, index) }
                }
            }
            guard sum > 0 else {
                if fillsUnweighted { sets[0][first] = 1 }
                continue
            }
            if abs(sum - 1) > 0.02 { repair.scaled += 1 }
            guard abs(sum - 1) > 5e-8 else { continue }
            var rest = 1.0
            for set in sets.indices {
                for index in first..<first + 4 {
                    sets[set][index] = Float(Double(sets[set][index]) / sum)
                    if set != largestSet || index != largestIndex { rest -= Double(sets[set][index]) }
                }
            }
            // The largest weight absorbs the rounding error.
            sets[largestSet][largestIndex] = Float(rest)
        }
        return repair
    }

    /// Returns the weights as 16-bit fractions of 1 that sum to exactly 65,535 for each vertex.
    ///
    /// - Parameter sets: Weights normalized by `normalize(_:)`.
    package static func quantized(_ sets: [[Float]]) -> [[UInt16]] {
        var result = sets.map { $0.map { UInt16(max(0, min($0, 1)) * 65_535 + 0.5) } }
        guard let count = sets.first?.count else { return result }
        for first in stride(from: 0, to: count - 3, by: 4) {
            var (sum, largest) = (0, (set: 0, index: first))
            for set in sets.indices {
                for index in first..<first + 4 {
                    sum += Int(result[set][index])
                    if result[set][index] > result[largest.set][largest.index] { largest = (set, index) }
                }
            }
            result[largest.set][largest.index] = UInt16(clamping: Int(result[largest.set][largest.index]) + 65_535 - sum)
        }
        return result
    }
}

extension Geometry {
    /// Returns the joints and weights of all complete sets, numbered from 0, as file formats require: the weights of each vertex sum to 1 (a vertex
    /// without weights gets weight 1 for its first joint), and a joint without weight is 0.
    package func skinSets() -> (joints: [[Float]], weights: [[Float]]) {
        var (joints, weights): ([[Float]], [[Float]]) = ([], [])
        for attribute in attributes {
            guard case .joints(let set) = attribute.semantic, let pair = self.attribute(.weights(set: set)) else { continue }
            joints.append(attribute.values)
            weights.append(pair.values)
        }
        _ = SkinWeights.normalize(&weights, fillsUnweighted: true)
        for set in joints.indices {
            for index in joints[set].indices { joints[set][index] = weights[set][index] > 0 ? max(joints[set][index], 0).rounded() : 0 }
        }
        return (joints, weights)
    }
}
