import VitrineMath

extension LayerPlanner {
    /// Draws a layer with all that lies on it into a picture of its own, does to that what is done to the layer as one, and puts it in place.
    ///
    /// Where nothing but opacity, a mask or a blend mode is asked for, the picture has the pixels of the one that it is put on, and nothing is
    /// sampled twice. Effects, blur and shadow happen in the layer's own plane, tilted with it.
    mutating func isolate(_ layer: Layer, on plane: Plane, _ planeFromPixel: Homography) throws(LayerError) {
        guard layer.blur > 0 || layer.shadow != nil || layer.hasEffects else {
            let surface = SurfacePlan(limit: plane.surface.limit, scale: plane.surface.scale, offset: plane.surface.offset)
            try fill(surface, with: layer, Plane(surface: surface, pixelFromPlane: plane.pixelFromPlane), planeFromPixel)
            place(surface, opacity: layer.opacity, layer.blendMode, .identity, .identity, on: plane)
            return
        }
        let (scale, offset) = grid(of: layer, on: plane)
        let pixelFromLayer = Homography(scale: scale, offset: offset)
        guard let layerFromPixel = pixelFromLayer.inverse else { return }
        let limit = visible(from: plane.surface.limit, pixelFromLayer * planeFromPixel).grown(by: reach(of: layer, scale))
        let surface = SurfacePlan(limit: limit, scale: scale, offset: offset)
        try fill(surface, with: layer, Plane(surface: surface, pixelFromPlane: pixelFromLayer), layerFromPixel)
        place(
            surface, opacity: layer.opacity, layer.blendMode, plane.pixelFromPlane * layerFromPixel, pixelFromLayer * planeFromPixel,
            on: plane)
    }

    /// Draws the layer as one that needs no isolation, and notes what is to be done to it.
    private mutating func fill(
        _ surface: SurfacePlan, with layer: Layer, _ plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        if layer.clipsToPath {
            try paintShape(of: layer, opacity: 1, on: plane, planeFromPixel)
            try paintClippedByPath(layer, on: plane, planeFromPixel)
        } else {
            try paintWhole(layer, opacity: 1, on: plane, planeFromPixel)
        }
        let scale = Float(surface.scale)
        if layer.hasEffects {
            // Effects may colour what is empty, up to the layer's edges.
            let (low, high) = (SIMD2<Double>(layer.bounds.minimum), SIMD2<Double>(layer.bounds.maximum))
            if layer.hasExtent { surface.cover(PixelRectangle(around: plane.pixelFromPlane.map([low, high]), margin: 0)) }
            surface.steps.append(.effects(layer.effects, layer.bounds))
        }
        if layer.blur > 0, layer.blur.isFinite { surface.steps.append(.blur(layer.blur * scale)) }
        if let mask = layer.mask {
            let cut = SurfacePlan(limit: surface.limit, scale: surface.scale, offset: surface.offset)
            var own = plane
            own.surface = cut
            try paint([mask], from: layer.sublayerMatrix, on: own)
            surface.steps.append(.mask(cut))
        }
        if let shadow = layer.shadow, shadow.opacity > 0, shadow.radius.isFinite, shadow.offset.isFinite {
            surface.steps.append(.shadow(shadow, radius: max(shadow.radius, 0) * scale, offset: shadow.offset * scale))
        }
    }

    /// What lies on a layer whose shape is a path, cut off at the path: in a picture of its own, with the path as its mask.
    private mutating func paintClippedByPath(_ layer: Layer, on plane: Plane, _ planeFromPixel: Homography) throws(LayerError) {
        guard case .path(let path, let rule) = layer.shape else { return }
        let (limit, scale, offset) = (plane.surface.limit, plane.surface.scale, plane.surface.offset)
        let surface = SurfacePlan(limit: limit, scale: scale, offset: offset)
        let cut = SurfacePlan(limit: limit, scale: scale, offset: offset)
        try paint(layer.sublayers, from: layer.sublayerMatrix, on: Plane(surface: surface, pixelFromPlane: plane.pixelFromPlane))
        try paintPath(
            path, rule, of: layer, as: .color(.white), on: Plane(surface: cut, pixelFromPlane: plane.pixelFromPlane), planeFromPixel)
        surface.steps.append(.mask(cut))
        place(surface, opacity: 1, .normal, .identity, .identity, on: plane)
    }

    /// Puts a finished picture on another one.
    mutating func place(
        _ surface: SurfacePlan, opacity: Float, _ blend: BlendMode, _ targetFromSurface: Homography, _ surfaceFromTarget: Homography,
        on plane: Plane
    ) {
        let region = surface.region
        guard !region.isEmpty else { return }
        let pixels = PixelRectangle(around: targetFromSurface.map(region.corners), margin: 1).intersection(plane.surface.limit)
        guard !pixels.isEmpty else { return }
        var instance = LayerInstance()
        instance.place(targetFromSurface, surfaceFromTarget)
        let size = Vector2(Float(region.width), Float(region.height))
        let origin = Vector2(Float(region.x), Float(region.y))
        instance.rectangle = Vector4(lowHalf: origin + size / 2, highHalf: size / 2)
        instance.outline = Vector4(0, 0, 0, opacity)
        instance.fill = Vector4(repeating: 1)
        instance.texture = Vector4(lowHalf: 1 / size, highHalf: -origin / size)
        var draw = SurfacePlan.Draw(parts: .init(), source: .surface(surface), page: -1, blend: blend, instance: 0)
        draw.parts.texture = .sampled
        if let texel = Self.texels(from: SIMD2(Double(region.x), Double(region.y)), scale: 1, targetFromSurface) {
            (draw.parts.texture, instance.texture) = (.texels, texel)
        }
        if blend == .plusLighter { draw.joining = .beside } else { draw.parts.blend = blend }
        instance.limit(to: plane.left, surfaceFromTarget)
        addInCells(
            instance, draw, plane.clips, covering: pixels,
            to: Plane(surface: plane.surface, pixelFromPlane: targetFromSurface, left: plane.left))
    }

    /// Where texels fall on pixels, one on one: the pixel of the first texel, for `Parts.Texture.texels`.
    ///
    /// - Parameters:
    ///   - origin: Of the picture in its plane. scale: Texels a unit of the plane.
    static func texels(from origin: SIMD2<Double>, scale: Double, _ pixelFromPlane: Homography) -> Vector4? {
        guard pixelFromPlane.isUpright, abs(pixelFromPlane.u.x / pixelFromPlane.one.z - scale) < scale * 1e-9 else { return nil }
        guard let first = pixelFromPlane.map(origin) else { return nil }
        let whole = first.rounded(.toNearestOrAwayFromZero)
        guard abs(first.x - whole.x) < 1e-3, abs(first.y - whole.y) < 1e-3, max(abs(whole.x), abs(whole.y)) < 1e6 else { return nil }
        return Vector4(Float(whole.x), Float(whole.y), 0, 0)
    }

    // MARK: Pictures in a layer's own plane

    /// How points become texels: where the layer is upright, so that texels fall on pixels.
    private func grid(of layer: Layer, on plane: Plane) -> (scale: Double, offset: SIMD2<Double>) {
        let h = plane.pixelFromPlane
        let scale = surfaceScale(h, over: layer.bounds)
        guard h.isUpright else { return (scale, SIMD2(0, 0)) }
        let place = SIMD2(h.one.x, h.one.y) / h.one.z
        // In steps far below what is seen: a layer that moves by whole pixels keeps its picture, in spite of rounding.
        return (scale, ((place - place.rounded(.down)) * 4096).rounded(.toNearestOrAwayFromZero) / 4096)
    }

    /// What can be seen of the layer's plane, in its picture's pixels.
    private func visible(from limit: PixelRectangle, _ surfaceFromTarget: Homography) -> PixelRectangle {
        let corners = surfaceFromTarget.map(limit.corners)
        // Up to the horizon: as far as textures go.
        let greatest = PixelRectangle(x: -4096, y: -4096, width: 8192, height: 8192)
        let all = PixelRectangle(around: corners, margin: 2)
        if all.width <= 8192, all.height <= 8192 { return all }
        let part = all.intersection(greatest)
        return part.isEmpty ? PixelRectangle(x: all.x, y: all.y, width: min(all.width, 8192), height: min(all.height, 8192)) : part
    }

    /// From how far outside of what is seen its steps carry colour into it, in pixels.
    private func reach(of layer: Layer, _ scale: Double) -> Int {
        var points: Float = 0
        for effect in layer.effects where effect.isEnabled {
            points += max(effect.maxSampleOffset.x, effect.maxSampleOffset.y, 0)
        }
        if layer.blur > 0 { points += 3 * layer.blur }
        if let shadow = layer.shadow { points += 3 * max(shadow.radius, 0) + max(abs(shadow.offset.x), abs(shadow.offset.y)) }
        let pixels = Double(points) * scale
        return pixels.isFinite ? Int(min(pixels, 2048)) + 2 : 2
    }
}
