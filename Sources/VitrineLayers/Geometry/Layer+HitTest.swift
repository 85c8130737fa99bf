import VitrineMath
import VitrineScene

/// What a point on the screen touches.
public struct LayerHit {
    public let layer: Layer
    /// In the layer's own coordinates, where the line of sight meets its plane.
    public let point: Vector2
}

extension Layer {
    /// The foremost layer under a point, by its shape: `fill`, `stroke` within it, or both. Groups without either are looked through.
    ///
    /// Left out: what is hidden or doesn't allow hits, with all that lies on it; layers seen from behind unless they are double-sided; what
    /// masks (their shapes) and clipping take away; planes seen from their edge, and what is behind the eye.
    ///
    /// - Parameter point: In the coordinates of this layer's parent: for a root, points of the picture.
    /// - Returns: nil where nothing is, and for points that are no numbers.
    public func hitTest(_ point: Vector2) -> LayerHit? {
        guard point.isFinite else { return nil }
        return LayerHitTest.nearest([self], from: .identity, at: SIMD2(point), depth: 0)
    }

    /// Whether a point of the layer's own coordinates is inside of its shape.
    public func contains(_ point: Vector2) -> Bool {
        if case .path(let path, let rule) = shape {
            guard point.isFinite, let box = path.controlBounds else { return false }
            let size = (box.maximum - box.minimum).max()
            let around = FlatOutline.winding(of: path, around: SIMD2(point), tolerance: Double(max(size, 1e-3)) / 2000)
            return rule == .nonZero ? around != 0 : !around.isMultiple(of: 2)
        }
        guard hasExtent else { return false }
        let half = bounds.size / 2
        let p = point - bounds.center
        if shape == .ellipse { return lengthSquared(p / half) <= 1 }
        let radius = drawnCornerRadius
        let beyond = Vector2(abs(p.x), abs(p.y)) - half + radius
        if beyond.x > 0, beyond.y > 0 { return lengthSquared(beyond) <= radius * radius }
        return beyond.x <= radius && beyond.y <= radius
    }

    // MARK: Between layers

    /// A point of another layer of the same tree, as it is seen on this layer's plane.
    ///
    /// - Returns: nil where the line of sight doesn't meet this plane before the eye, or the point itself is behind the eye.
    public func convert(_ point: Vector2, from other: Layer) -> Vector2? {
        guard let seen = other.rootFromPlane?.map(SIMD2(point)) else { return nil }
        return convertFromRoot(Vector2(seen))
    }

    /// A point of this layer, as it is seen on another one's plane: the other way round.
    public func convert(_ point: Vector2, to other: Layer) -> Vector2? { other.convert(point, from: self) }

    /// A point of the picture (of the root's parent) on this layer's plane.
    public func convertFromRoot(_ point: Vector2) -> Vector2? {
        guard point.isFinite, let mine = rootFromPlane?.inverse?.map(SIMD2(point)) else { return nil }
        let result = Vector2(mine)
        return result.isFinite ? result : nil
    }

    /// Where a point of this layer is seen in the picture; nil behind the eye.
    public func convertToRoot(_ point: Vector2) -> Vector2? { rootFromPlane?.map(SIMD2(point)).map { Vector2($0) } }

    /// From this layer's plane to the picture.
    var rootFromPlane: Homography? {
        var matrix = parentFromLayer
        var map: Homography?
        var layer = self
        var depth = 0
        while let parent = layer.parent, depth < LayerPlanner.greatestDepth {
            matrix = parent.sublayerMatrix * matrix
            if parent.preservesDepth {
                matrix = parent.parentFromLayer * matrix
            } else {
                let flat = Homography(matrix)
                map = map.map { flat * $0 } ?? flat
                matrix = parent.parentFromLayer
            }
            (layer, depth) = (parent, depth + 1)
        }
        let last = Homography(matrix)
        let result = map.map { last * $0 } ?? last
        return result.isFinite ? result : nil
    }
}

/// Looks for what lies under a point, as `LayerPlanner` draws it.
enum LayerHitTest {
    /// The foremost hit among layers that share a 3D space.
    ///
    /// - Parameter point: On the plane on which that space is seen.
    static func nearest(_ layers: [Layer], from matrix: Matrix4, at point: SIMD2<Double>, depth: Int) -> LayerHit? {
        var best: (hit: LayerHit, z: Double)?
        search(layers, matrix, point, depth, &best)
        return best?.hit
    }

    private static func search(
        _ layers: [Layer], _ matrix: Matrix4, _ point: SIMD2<Double>, _ depth: Int, _ best: inout (hit: LayerHit, z: Double)?
    ) {
        guard depth < LayerPlanner.greatestDepth else { return }
        for layer in layers where !layer.isHidden && layer.opacity > 0 && layer.allowsHitTesting {
            let spaceFromLayer = matrix * layer.parentFromLayer
            let map = Homography(spaceFromLayer)
            if let own = map.inverse?.map(point), layer.isDoubleSided || map.determinant > 0,
                let hit = hit(layer, at: own, depth), let z = height(of: own, spaceFromLayer), z >= best?.z ?? -.infinity
            {
                best = (hit, z)
            }
            if layer.preservesDepth { search(layer.sublayers, spaceFromLayer * layer.sublayerMatrix, point, depth + 1, &best) }
        }
    }

    /// In a layer that is one plane to others; of one whose sublayers stand among them, itself alone.
    private static func hit(_ layer: Layer, at point: SIMD2<Double>, _ depth: Int) -> LayerHit? {
        let own = Vector2(point)
        guard own.isFinite else { return nil }
        if let mask = layer.mask {
            guard nearest([mask], from: layer.sublayerMatrix, at: point, depth: depth + 1) != nil else { return nil }
        }
        if !layer.preservesDepth, !layer.clipsToBounds || layer.contains(own),
            let above = nearest(layer.sublayers, from: layer.sublayerMatrix, at: point, depth: depth + 1)
        {
            return above
        }
        guard layer.fill != nil || layer.stroke != nil, layer.contains(own) else { return nil }
        return LayerHit(layer: layer, point: own)
    }

    private static func height(of point: SIMD2<Double>, _ matrix: Matrix4) -> Double? {
        let p = matrix * Vector4(Float(point.x), Float(point.y), 0, 1)
        let z = Double(p.z) / Double(p.w)
        return p.w > 0 && z.isFinite ? z : nil
    }
}

extension FlatOutline {
    /// How often a path goes around a point.
    static func winding(of path: Path, around point: SIMD2<Double>, tolerance: Double) -> Int {
        var count = 0
        for outline in outlines(of: path, tolerance: tolerance) {
            guard var a = outline.points.last else { continue }
            for b in outline.points {
                if (a.y <= point.y) != (b.y <= point.y) {
                    let side = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
                    if b.y > a.y, side > 0 { count += 1 }
                    if b.y < a.y, side < 0 { count -= 1 }
                }
                a = b
            }
        }
        return count
    }
}
