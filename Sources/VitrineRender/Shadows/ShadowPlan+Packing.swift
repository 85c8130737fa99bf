import VitrineMath

extension ShadowPlan {
    /// `Shadows` in WGSL.
    ///
    /// - Parameter environment: the maps of the environment, and the share of its light that each stands for.
    func packed(environment: (first: Int, weights: [Float])) -> [Vector4] {
        var vectors = [
            Vector4(Float(bitPattern: UInt32(environment.first)), Float(bitPattern: UInt32(environment.weights.count)), 0, 0)
        ]
        vectors.reserveCapacity(1 + views.count * 8)
        // Turned by the golden ratio from frame to frame.
        let turn = Float(sample.index) * 0.618_034
        for (index, view) in views.enumerated() {
            let place = index - environment.first
            let weight = environment.weights.indices.contains(place) ? environment.weights[place] : 0
            view.append(to: &vectors, atlas: atlasSize, turn: turn - turn.rounded(.down), weight: weight)
        }
        // A buffer can't be empty, and its type has room for one map at least.
        if views.isEmpty { vectors += [Vector4](repeating: Vector4(repeating: 0), count: 8) }
        return vectors
    }
}

extension ShadowView {
    fileprivate func append(to vectors: inout [Vector4], atlas: Int, turn: Float, weight: Float) {
        let pixel = 1 / Float(atlas)
        let corner = Vector2(Float(tile.x), Float(tile.y)) * pixel
        let width = Float(resolution) * pixel
        // −1…1 to the tile, y turned.
        let atlasFromClip = Matrix4(
            Vector4(width / 2, 0, 0, 0), Vector4(0, -width / 2, 0, 0), Vector4(0, 0, 1, 0),
            Vector4(corner.x + width / 2, corner.y + width / 2, 0, 1))
        let m = atlasFromClip * clipFromWorld
        vectors += [
            m.x, m.y, m.z, m.w,
            Vector4(corner.x + pixel / 2, corner.y + pixel / 2, corner.x + width - pixel / 2, corner.y + width - pixel / 2),
            origin, Vector4(size, texel, depth, nearest), Vector4(fadesAtEdge ? 1 : 0, turn, weight, 0),
        ]
    }
}
