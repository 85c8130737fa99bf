import VitrineMath
import VitrineScene

extension Layer {
    /// Returns the frontmost layer whose shape has a fill or stroke at a point. Groups without a fill and stroke are transparent to hits.
    ///
    /// Excluded are layers that are hidden or do not allow hit testing, with their sublayers; the backs of layers that are not double-sided; areas
    /// that masks (by their shape) and clipping remove; planes seen edge-on, and points behind the eye.
    ///
    /// - Parameter point: The point in the coordinates of this layer's parent; for a root, in points of the view.
    /// - Returns: The layer, and the position in its coordinates where the view ray intersects its plane; nil if there is no layer, or if the point is
    ///   not finite.
    public func hitTest(_ point: Vector2) -> (layer: Layer, point: Vector2)? {
        guard point.isFinite else { return nil }
        return LayerHitTest.nearest([self], from: .identity, at: SIMD2(point), depth: 0)
    }

    /// Returns whether a point in the layer's coordinates is inside its shape.
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

    /// Converts a point of another layer of the same tree to this layer, along the view ray.
    ///
    /// - Returns: nil if the view ray does not intersect this plane in front of the viewpoint, or the point is behind the viewpoint.
    public func convert(_ point: Vector2, from other: Layer) -> Vector2? {
        guard let seen = other.rootFromPlane?.map(SIMD2(point)) else { return nil }
        return convertFromRoot(Vector2(seen))
    }

    /// Converts a point of this layer to another one, along the view ray; see `convert(_:from:)`.
    public func convert(_ point: Vector2, to other: Layer) -> Vector2? { other.convert(point, from: self) }

    /// Converts a point of the view (the root's parent) to this layer's plane; nil if the view ray does not intersect it.
    public func convertFromRoot(_ point: Vector2) -> Vector2? {
        guard point.isFinite, let mine = rootFromPlane?.inverse?.map(SIMD2(point)) else { return nil }
        let result = Vector2(mine)
        return result.isFinite ? result : nil
    }

    /// Converts a point of this layer to the view; nil behind the eye.
    public func convertToRoot(_ point: Vector2) -> Vector2? { rootFromPlane?.map(SIMD2(point)).map { Vector2($0) } }

    /// The map from this layer's plane to the view.
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

/// Finds the layer at a point, in the order in which `LayerPlanner` draws.
enum LayerHitTest {
    typealias Hit = (layer: Layer, point: Vector2)

    /// Returns the frontmost hit among layers that share a 3D space.
    ///
    /// - Parameter point: The point on the plane onto which that space is projected.
    static func nearest(_ layers: [Layer], from matrix: Matrix4, at point: SIMD2<Double>, depth: Int) -> Hit? {
        var best: (hit: Hit, z: Double)?
        search(layers, matrix, point, depth, &best)
        return best?.hit
    }

    private static func search(
        _ layers: [Layer], _ matrix: Matrix4, _ point: SIMD2<Double>, _ depth: Int, _ best: inout (hit: Hit, z: Double)?
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

    /// Returns the hit in a flattened layer with its sublayers; for a layer that is not flattened, only in its shape.
    private static func hit(_ layer: Layer, at point: SIMD2<Double>, _ depth: Int) -> Hit? {
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
        return (layer, own)
    }

    private static func height(of point: SIMD2<Double>, _ matrix: Matrix4) -> Double? {
        let p = matrix * Vector4(Float(point.x), Float(point.y), 0, 1)
        let z = Double(p.z) / Double(p.w)
        return p.w > 0 && z.isFinite ? z : nil
    }
}

extension FlatOutline {
    /// Returns the winding number of a path around a point.
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
