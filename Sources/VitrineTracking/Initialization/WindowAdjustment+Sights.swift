import VitrineMath
import VitrineVision

/// What the camera says.
extension WindowAdjustment {
    /// From the frame that a point is told in to one that shows it.
    struct Between {
        let anchor: Frame, other: Frame
        let cameraFromWorld: Matrix3d
        /// The point in the other camera, times its inverse depth: direction · d + shift · (1/z).
        let direction: Matrix3d
        let shift: Vector3d
    }

    private struct Sighted {
        /// By the point's place.
        var pointX, pointY: Vector3d
        /// By the anchor's turn and position, the other's turn and position, and the clock; then what is expected less what is seen.
        var x, y: SIMD16<Double>

        static let width = 13
        var miss: Vector2d { Vector2d(x[Self.width], y[Self.width]) }
    }

    /// The frames when the pictures were taken, the clock's error made up for; their rates without the bias.
    var pictured: [Frame] {
        frames.map { frame in
            var moved = frame
            moved.rate -= gyroscopeBias
            guard timeOffset != 0 else { return moved }
            moved.worldFromBody.rotation = frame.worldFromBody.rotation * Matrix3d.rotation(moved.rate * timeOffset)
            moved.worldFromBody.translation += frame.velocity * timeOffset
            return moved
        }
    }

    func between(_ a: Frame, _ j: Frame) -> Between {
        let cameraFromBody = bodyFromCamera.rotation.transpose
        let back = j.worldFromBody.rotation.transpose
        let cameraFromWorld = cameraFromBody * back
        let apart = a.worldFromBody.translation - j.worldFromBody.translation + a.worldFromBody.rotation * bodyFromCamera.translation
        return Between(
            anchor: a, other: j, cameraFromWorld: cameraFromWorld,
            direction: cameraFromWorld * a.worldFromBody.rotation * bodyFromCamera.rotation,
            shift: cameraFromBody * (back * apart - bodyFromCamera.translation))
    }

    /// Expected less seen, normalized coordinates; nil behind the camera.
    func miss(_ place: Vector3d, _ between: Between, _ seen: Vector2d) -> Vector2d? {
        let h = between.direction * Vector3d(place.x, place.y, 1) + between.shift * place.z
        return h.z > 1e-3 ? Vector2d(h.x, h.y) / h.z - seen : nil
    }

    private func sighted(_ place: Vector3d, _ between: Between, _ seen: Vector2d) -> Sighted? {
        let (a, j) = (between.anchor, between.other)
        let direction = Vector3d(place.x, place.y, 1)
        let h = between.direction * direction + between.shift * place.z
        guard h.z > 1e-3 else { return nil }
        let projected = Vector2d(h.x, h.y) / h.z
        // Times the inverse depth, so that far ones are like others.
        let onAnchor = bodyFromCamera.rotation * direction + bodyFromCamera.translation * place.z
        let onBody = bodyFromCamera.rotation * h + bodyFromCamera.translation * place.z
        let apart = a.velocity - j.velocity
        func row(_ r: Vector3d, _ miss: Double) -> (point: Vector3d, rest: SIMD16<Double>) {
            let inWorld = between.cameraFromWorld.transpose * r
            let p = inWorld * place.z
            let t = cross(onAnchor, a.worldFromBody.rotation.transpose * inWorld)
            let u = cross(bodyFromCamera.rotation * r, onBody)
            let clock = dot(t, a.rate) + dot(u, j.rate) + dot(p, apart)
            let byDirection = between.direction.transpose * r
            return (
                Vector3d(byDirection.x, byDirection.y, dot(r, between.shift)),
                SIMD16(t.x, t.y, t.z, p.x, p.y, p.z, u.x, u.y, u.z, -p.x, -p.y, -p.z, clock, miss, 0, 0)
            )
        }
        let miss = projected - seen
        let x = row(Vector3d(1, 0, -projected.x) / h.z, miss.x)
        let y = row(Vector3d(0, 1, -projected.y) / h.z, miss.y)
        return Sighted(pointX: x.point, pointY: y.point, x: x.rest, y: y.rest)
    }

    /// All sights, the points eliminated.
    func addSights(_ damping: Double, _ built: inout Built) -> Bool {
        let views = pictured
        let order = points.indices.sorted { (points[$0].anchor, $0) < (points[$1].anchor, $1) }
        // Points of one anchor together: their equations between anchor and frame add up before they are put where they belong.
        var sums = [SIMD16<Double>](repeating: .zero, count: Sighted.width * frames.count)
        var ways: [Between] = []
        var others = [Double](repeating: 0, count: 24 * built.points.lanes)
        var anchor = -1
        for index in order {
            if points[index].anchor != anchor {
                if anchor >= 0 { scatter(&sums, anchor, &built.system) }
                anchor = points[index].anchor
                ways = views.map { between(views[anchor], $0) }
            }
            guard addPoint(index, ways, damping, &others, &sums, &built) else { return false }
        }
        if anchor >= 0 { scatter(&sums, anchor, &built.system) }
        built.points.reduce(&built.system)
        return true
    }

    private func addPoint(
        _ index: Int, _ ways: [Between], _ damping: Double, _ others: inout [Double], _ sums: inout [SIMD16<Double>], _ built: inout Built
    ) -> Bool {
        let point = points[index]
        let stride = 8 * built.points.lanes
        for k in others.indices { others[k] = 0 }
        var (square, right) = (Matrix3d(.zero, .zero, .zero), Vector3d.zero)
        // A depth that nothing tells stays where it is.
        square.z.z += 1e-6
        for (slot, seen) in point.track.sights.enumerated() {
            if slot == 0 {
                let miss = Vector2d(point.place.x, point.place.y) - seen.normalized
                let weight = weight(miss, &built.cost)
                square.x.x += weight
                square.y.y += weight
                right -= Vector3d(miss.x, miss.y, 0) * weight
                continue
            }
            guard let d = sighted(point.place, ways[seen.frame], seen.normalized) else {
                // Behind the camera: counts as far off, and says nothing of where to go.
                built.cost += cut * cut * log(1 + 1e6 / (cut * cut))
                continue
            }
            let weight = weight(d.miss, &built.cost)
            square = square + (Rotations.outer(d.pointX, d.pointX) + Rotations.outer(d.pointY, d.pointY)) * weight
            right -= (d.pointX * d.miss.x + d.pointY * d.miss.y) * weight
            let (x, y) = (d.x * weight, d.y * weight)
            let start = Sighted.width * seen.frame
            for p in 0..<Sighted.width { sums[start + p] += d.x * x[p] + d.y * y[p] }
            for k in 0..<3 {
                let row = x * d.pointX[k] + y * d.pointY[k]
                let (from, to) = (k * stride + pose(point.anchor), k * stride + pose(seen.frame))
                for p in 0..<6 {
                    others[from + p] += row[p]
                    others[to + p] += row[6 + p]
                }
                others[k * stride + clock] += row[12]
            }
        }
        square.x.x *= 1 + damping
        square.y.y *= 1 + damping
        square.z.z *= 1 + damping
        return built.points.eliminate(
            index, own: square, right: right, others: others, touched: point.track.sights.map { pose($0.frame) })
    }

    private func weight(_ miss: Vector2d, _ cost: inout Double) -> Double {
        let squared = (miss * miss).sum() / (sight * sight)
        cost += cut * cut * log(1 + squared / (cut * cut))
        return 1 / (sight * sight * (1 + squared / (cut * cut)))
    }

    private func scatter(_ sums: inout [SIMD16<Double>], _ anchor: Int, _ system: inout SymmetricSystem) {
        let size = system.size
        for frame in frames.indices where frame != anchor {
            func unknown(_ p: Int) -> Int { p < 6 ? pose(anchor) + p : p < 12 ? pose(frame) + p - 6 : clock }
            for p in 0..<Sighted.width {
                let row = sums[Sighted.width * frame + p]
                let start = unknown(p) * size
                for q in 0..<Sighted.width { system.matrix[start + unknown(q)] += row[q] }
                system.right[unknown(p)] -= row[Sighted.width]
                sums[Sighted.width * frame + p] = .zero
            }
        }
    }
}
