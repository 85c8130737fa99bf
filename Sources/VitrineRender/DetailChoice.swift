import VitrineMath

/// How coarsely geometries may be drawn: so that nothing moves by more than a part of a pixel.
///
/// A triangle costs its pixels and its vertices, and on the edges of each the pixels of its neighbours again: where triangles are smaller than pixels, a picture
/// costs as much as there are triangles, and shows nothing of them.
struct DetailChoice {
    /// Pixels, or texels of a shadow map.
    private static let tolerance: Float = 0.4

    /// dot(xyz, point) + w is what a length is divided by in the picture: the distance ahead, or 1.
    private let depth: Vector4
    /// Of a metre at depth 1.
    private let pixels: Float
    private let near: Float

    /// - Parameters:
    ///   - clipFromView: of the picture that is drawn, `size` pixels large.
    init(clipFromWorld: Matrix4, clipFromView: Matrix4, near: Float, size: (width: Int, height: Int)) {
        let m = clipFromWorld
        depth = Vector4(m.x.w, m.y.w, m.z.w, m.w.w)
        let (across, down) = (length(clipFromView.x.xyz) * Float(size.width), length(clipFromView.y.xyz) * Float(size.height))
        pixels = max(across, down) / 2
        // Of a picture without perspective every length is divided by 1.
        self.near = length(depth.xyz) > 0 ? near : 0
    }

    /// A map of parallel light.
    init(texel: Float) { (depth, pixels, near) = (Vector4(0, 0, 0, 1), 1 / texel, 1) }

    /// nil: all of its triangles.
    func level(of geometry: GPUGeometry, shown records: ArraySlice<UInt32>, _ list: DrawList) -> GPUGeometry.Level? {
        guard !geometry.levels.isEmpty else { return nil }
        var largest: Float = 0
        for record in records {
            let sphere = list.worldSpheres[Int(record)]
            let nearest = max(dot(depth, Vector4(sphere.xyz, 1)) - sphere.w * length(depth.xyz), near)
            largest = max(largest, sphere.w * pixels / nearest)
        }
        return largest.isFinite && largest > 0 ? geometry.level(below: Self.tolerance / largest) : nil
    }
}
