import VitrineMath

/// Chooses levels of detail: the coarsest geometry whose surface moves by less than a fraction of a pixel.
///
/// Triangles smaller than a pixel cost vertices and edges without adding visible detail.
struct DetailLevel {
    /// Pixels, or texels of a shadow map.
    private static let tolerance: Float = 0.4

    /// dot(xyz, point) + w divides lengths in the image: the distance ahead, or 1 for orthographic projections.
    private let depth: Vector4
    /// Pixels per metre at depth 1.
    private let pixels: Float
    private let near: Float

    /// Prepares the selection of levels of detail for a view.
    ///
    /// - Parameters:
    ///   - clipFromView: Projection of the rendered image, which has `size` pixels.
    init(clipFromWorld: Matrix4, clipFromView: Matrix4, near: Float, size: (width: Int, height: Int)) {
        let m = clipFromWorld
        depth = Vector4(m.x.w, m.y.w, m.z.w, m.w.w)
        let (across, down) = (length(clipFromView.x.xyz) * Float(size.width), length(clipFromView.y.xyz) * Float(size.height))
        pixels = max(across, down) / 2
        // Orthographic projections divide every length by 1.
        self.near = length(depth.xyz) > 0 ? near : 0
    }

    /// Creates the detail level for a shadow map of parallel light.
    ///
    /// - Parameter texel: Metres.
    init(texel: Float) { (depth, pixels, near) = (Vector4(0, 0, 0, 1), 1 / texel, 1) }

    /// The sum of the areas of the bounding spheres' discs in pixels.
    func area(of records: ArraySlice<UInt32>, _ list: DrawList) -> Float {
        var sum: Float = 0
        for record in records {
            let sphere = list.worldSpheres[Int(record)]
            let radius = sphere.w * pixels / max(dot(depth, Vector4(sphere.xyz, 1)), near)
            sum += .pi * radius * radius
        }
        return sum
    }

    /// The level for the instances of a draw; nil for the full geometry.
    func level(
        _ kind: GPUGeometry.LevelKind = .surfaces, of geometry: GPUGeometry, shown records: ArraySlice<UInt32>, _ list: DrawList
    ) -> GPUGeometry.Level? {
        let levels = geometry.levels(kind)
        guard !levels.isEmpty else { return nil }
        var largest: Float = 0
        for record in records {
            let sphere = list.worldSpheres[Int(record)]
            let nearest = max(dot(depth, Vector4(sphere.xyz, 1)) - sphere.w * length(depth.xyz), near)
            largest = max(largest, sphere.w * pixels / nearest)
        }
        return largest.isFinite && largest > 0 ? levels.last { $0.error <= Self.tolerance / largest } : nil
    }
}
