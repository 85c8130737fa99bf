import VitrineMath

/// Guided matching: matches all features of two photos along the epipolar lines of an initial geometry.
struct GuidedMatcher {
    let first, second: PreparedFeatures
    /// The fundamental matrix for pixels: secondᵀ F first = 0.
    let fundamental: Matrix3d
    /// Half the width of the search band along a line, in pixels of the second photo.
    let distance: Float
    /// The offset of the band from the line in pixels: beyond `distance`, all matches are random.
    var aside: Float = 0
    /// The rotation from the first photo's feature orientations to the second's, and the largest deviation of a match from it, radians.
    let turn, turnTolerance: Float
    /// The ratio test's limit: see `DescriptorMatcher.mutual`.
    let ratio: Float
    /// Matches with a smaller displacement in pixels are dropped.
    let stillness: Float

    private struct Nearest {
        var index: Int32 = -1
        var best: Int32 = .max
        var second: Int32 = .max

        @inline(__always) mutating func see(_ candidate: Int32, _ distance: Int32) {
            if distance < best {
                (index, second, best) = (candidate, best, distance)
            } else if distance < second {
                second = distance
            }
        }

        func isClear(_ ratio: Float) -> Bool {
            best < DescriptorMatcher.limit && Float(max(best, 0)) < ratio * ratio * Float(max(second, 1))
        }
    }

    /// Mutual nearest neighbours that pass the ratio test within their bands.
    func run() -> [DescriptorMatcher.Match] {
        var forward = [Nearest](repeating: Nearest(), count: first.count)
        var backward = [Nearest](repeating: Nearest(), count: second.count)
        forward.withUnsafeMutableBufferPointer { forward in
            backward.withUnsafeMutableBufferPointer { backward in
                first.withPointers { a in
                    second.withPointers { b in
                        // By rows of the image, so that consecutive features share candidates.
                        for feature in first.steep.order { search(feature, a, b, forward, backward) }
                    }
                }
            }
        }
        var matches: [DescriptorMatcher.Match] = []
        for i in forward.indices where forward[i].index >= 0 && forward[i].isClear(ratio) {
            let j = Int(forward[i].index)
            guard backward[j].index == Int32(i), backward[j].isClear(ratio) else { continue }
            matches.append(
                .init(
                    first: Int32(i), second: Int32(j),
                    ratio: Float(max(forward[i].best, 0)) / Float(max(forward[i].second, 1)),
                    distance: forward[i].best))
        }
        return matches
    }

    /// Compares a feature of the first photo with those in its band in the second.
    @inline(__always) private func search(
        _ feature: Int32, _ a: PreparedFeatures.Pointers, _ b: PreparedFeatures.Pointers,
        _ forward: UnsafeMutableBufferPointer<Nearest>, _ backward: UnsafeMutableBufferPointer<Nearest>
    ) {
        let i = Int(feature)
        let (position, orientation) = (a.positions[i], a.orientations[i])
        let line =
            SIMD3<Float>(fundamental.x) * position.x + SIMD3<Float>(fundamental.y) * position.y
            + SIMD3<Float>(fundamental.z)
        let norm = (line.x * line.x + line.y * line.y).squareRoot()
        guard norm > 0 else { return }
        let unit = line / norm + SIMD3(0, 0, aside)
        let index = abs(unit.y) >= abs(unit.x) ? second.level : second.steep
        var nearest = Nearest()
        index.order.withUnsafeBufferPointer { order in
            index.forEachRange(near: unit, distance: distance) { range in
                for k in range {
                    let j = Int(order[k])
                    let other = b.positions[j]
                    guard abs(unit.x * other.x + unit.y * other.y + unit.z) < distance,
                        isTurned(orientation, b.orientations[j]),
                        isMoved(position, other)
                    else { continue }
                    let product = DescriptorMatcher.product(
                        a.descriptors + 128 &* i, b.descriptors + 128 &* j)
                    let squared = a.squares[i] &+ b.squares[j] &- 2 &* product
                    nearest.see(Int32(truncatingIfNeeded: j), squared)
                    backward[j].see(feature, squared)
                }
            }
        }
        forward[i] = nearest
    }

    @inline(__always) private func isTurned(_ a: Float, _ b: Float) -> Bool {
        // Modulo a full turn.
        let off = abs(b - a - turn)
        let whole: Float = 2 * .pi
        return off < turnTolerance || abs(off - whole) < turnTolerance
            || abs(off - 2 * whole) < turnTolerance
    }

    @inline(__always) private func isMoved(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> Bool {
        let step = b - a
        return (step * step).sum() >= stillness * stillness
    }
}
