import VitrineGPU
import VitrineMath
import VitrineScene

/// Converts a tree of layers to surface plans: the positions, the order, and the groups that need a surface.
///
/// Sublayers of a flattened layer are not first drawn into a surface: the projections are multiplied, and the sublayers are drawn at their final
/// position, at full sharpness.
struct LayerPlanner {
    /// The largest depth of the tree.
    static let greatestDepth = 200

    private let renderer: LayerRenderer
    private(set) var drawing = FrameDrawing()
    /// The number of pixels per point of the target: the least scale of surfaces.
    private let screenScale: Double
    private var depth = 0

    init(_ renderer: LayerRenderer, screenScale: Double, reusing drawing: FrameDrawing) {
        (self.renderer, self.screenScale) = (renderer, screenScale)
        self.drawing = drawing
        self.drawing.removeAll()
    }

    /// A plane with layers, in the surface into which they are drawn.
    private struct Plane {
        var surface: SurfacePlan
        var pixelFromPlane: Homography
        /// The clips of all content of the plane.
        var clips: [LayerClip] = []
        /// The corners of the area inside the clips, in pixels of the surface; empty for no limit.
        var left: [SIMD2<Double>] = []
    }

    /// Plans the surfaces and draws of a tree.
    ///
    /// - Parameters:
    ///   - width: The width of the target in pixels.
    ///   - height: The height of the target in pixels.
    mutating func plan(_ root: Layer, width: Int, height: Int) throws(LayerError) -> SurfacePlan {
        let surface = SurfacePlan(limit: PixelRectangle(x: 0, y: 0, width: width, height: height), scale: screenScale)
        try paint([root], from: .identity, on: Plane(surface: surface, pixelFromPlane: Homography(scale: screenScale)))
        return surface
    }

    // MARK: Layers in one 3D space

    /// Draws layers that share a 3D space, which is projected onto `plane`, from back to front.
    ///
    /// - Parameter matrix: The transform after the transforms of the layers.
    private mutating func paint(_ layers: [Layer], from matrix: Matrix4, on plane: Plane) throws(LayerError) {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.greatestDepth else { throw .tooDeep(limit: Self.greatestDepth) }
        var items: [DepthOrder.Item] = []
        try gather(layers, from: matrix, depth, into: &items)
        for piece in DepthOrder.sorted(items) {
            let item = items[piece.item]
            var own = plane
            for cut in piece.edges { own.clips.append(LayerClip(cut, on: plane.pixelFromPlane)) }
            if !piece.corners.isEmpty { own.left = plane.pixelFromPlane.map(piece.corners) }
            try paint(item, isCut: !piece.cuts.isEmpty, on: own)
        }
    }

    private func gather(
        _ layers: [Layer], from matrix: Matrix4, _ depth: Int, into items: inout [DepthOrder.Item]
    ) throws(LayerError) {
        guard depth <= Self.greatestDepth else { throw .tooDeep(limit: Self.greatestDepth) }
        for layer in layers where !layer.isHidden && layer.opacity > 0 {
            let spaceFromLayer = matrix * layer.parentFromLayer
            items.append(DepthOrder.Item(layer, spaceFromLayer, isAlone: layer.preservesDepth))
            guard layer.preservesDepth else { continue }
            try gather(layer.sublayers, from: spaceFromLayer * layer.sublayerMatrix, depth + 1, into: &items)
        }
    }

    private mutating func paint(_ item: DepthOrder.Item, isCut: Bool, on plane: Plane) throws(LayerError) {
        let layer = item.layer
        var own = plane
        own.pixelFromPlane = plane.pixelFromPlane * Homography(item.matrix)
        guard let planeFromPixel = own.pixelFromPlane.inverse, layer.isDoubleSided || own.pixelFromPlane.determinant > 0 else { return }
        if item.isAlone {
            try paintShape(of: layer, opacity: layer.opacity, on: own, planeFromPixel)
        } else if layer.isIsolated || (isCut && !layer.sublayers.isEmpty) {
            // Along a cut, the group must cover each pixel once, not each of its layers.
            try isolate(layer, on: own, planeFromPixel)
        } else {
            try paintFlattened(layer, opacity: layer.opacity, on: own, planeFromPixel)
        }
    }

    /// Draws the layer's shape and its sublayers.
    private mutating func paintFlattened(
        _ layer: Layer, opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        try paintShape(of: layer, opacity: opacity, on: plane, planeFromPixel)
        guard !layer.sublayers.isEmpty else { return }
        var inner = plane
        if layer.clipsToBounds {
            guard layer.hasExtent else { return }
            inner.clips.append(LayerClip(layer, planeFromPixel))
        }
        try paint(layer.sublayers, from: layer.sublayerMatrix, on: inner)
    }

    // MARK: One shape

    private mutating func paintShape(
        of layer: Layer, opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        guard layer.fill != nil || layer.stroke != nil else { return }
        if case .path(let path, let rule) = layer.shape {
            return try paintPath(path, rule, of: layer, opacity: opacity, on: plane, planeFromPixel)
        }
        guard layer.hasExtent else { return }
        if layer.stroke?.dashes.isEmpty == false {
            throw .unsupported(
                layer: layer.name,
                what: "dashes need a path: create one with Path.roundedRectangle, Path.ellipse or another function of Path")
        }
        let reach = layer.stroke?.reach ?? (inside: 0, outside: 0)
        let extent = Double(reach.outside)
        let low = SIMD2<Double>(layer.bounds.minimum) - extent
        let high = SIMD2<Double>(layer.bounds.maximum) + extent
        let corners = plane.pixelFromPlane.map([low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)])
        let pixels = PixelRectangle(around: corners, margin: 1.5).intersection(plane.surface.limit)
        guard !pixels.isEmpty else { return }

        var instance = LayerInstance()
        instance.setMaps(plane.pixelFromPlane, planeFromPixel)
        instance.rectangle = Vector4(lowHalf: layer.bounds.center, highHalf: layer.bounds.size / 2)
        instance.outline = Vector4(layer.drawnCornerRadius, reach.inside, reach.outside, opacity)
        var draw = SurfacePlan.Draw(parts: .init(), source: .none, page: -1, blend: .normal, instance: 0)
        if layer.shape == .ellipse { draw.parts.outline = .ellipse }
        var clips = plane.clips
        try paint(layer.fill, of: layer, &instance, &draw, &clips, plane, planeFromPixel)
        if let stroke = layer.stroke { paint(stroke.paint, in: layer.bounds, &instance, &draw) }
        instance.limit(to: plane.left, planeFromPixel)
        addInCells(instance, draw, clips, covering: pixels, to: plane)
    }

    /// Sets the fill of an instance.
    private mutating func paint(
        _ fill: Fill?, of layer: Layer, _ instance: inout LayerInstance, _ draw: inout SurfacePlan.Draw, _ clips: inout [LayerClip],
        _ plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        switch fill {
        case nil: break
        case .color(let color): instance.fill = color.drawn
        case .gradient(let gradient):
            let (first, code, geometry) = drawing.add(gradient, in: layer.bounds)
            (instance.fillStop, instance.fillGradient, instance.fillGeometry) = (first, code, geometry)
            draw.parts.hasGradient = true
        case .image(let image, let mode, let magnification):
            let surface = try renderer.images.texture(of: image)
            let area = mode.rectangle(Float(image.width), Float(image.height), in: layer.bounds)
            setTexture(surface, magnification, over: area, &instance, &draw)
            // The area outside the image is transparent.
            if area.size.x < layer.bounds.size.x || area.size.y < layer.bounds.size.y {
                clips.append(LayerClip(area, radius: 0, isEllipse: false, localFromPixel: planeFromPixel))
            }
        case .drawing(let drawing):
            guard layer.hasExtent else { return }
            let scale = surfaceScale(plane.pixelFromPlane, over: layer.bounds)
            let surface = try renderer.drawings.texture(of: drawing, bounds: layer.bounds, scale: Float(scale), renderer)
            let area = surface.bounds ?? layer.bounds
            setTexture(surface, .linear, over: area, &instance, &draw)
            let texelScale = Double(surface.texture.width) / Double(area.size.x)
            if let texel = Self.texels(from: SIMD2<Double>(area.origin), scale: texelScale, plane.pixelFromPlane) {
                (draw.parts.texture, instance.texture) = (.texels, texel)
            }
        }
    }

    private func setTexture(
        _ surface: CachedTexture, _ filter: FilterMode, over area: Rectangle, _ instance: inout LayerInstance,
        _ draw: inout SurfacePlan.Draw
    ) {
        instance.fill = Vector4(repeating: 1)
        instance.texture = Vector4(lowHalf: 1 / area.size, highHalf: -area.origin / area.size)
        draw.parts.texture = .sampled
        draw.source = .image(surface, filter)
    }

    private mutating func paint(
        _ paint: Stroke.Paint, in bounds: Rectangle, _ instance: inout LayerInstance, _ draw: inout SurfacePlan.Draw
    ) {
        switch paint {
        case .color(let color): instance.stroke = color.drawn
        case .gradient(let gradient):
            let (first, code, geometry) = drawing.add(gradient, in: bounds)
            (instance.strokeStop, instance.strokeGradient, instance.strokeGeometry) = (first, code, geometry)
            draw.parts.hasGradient = true
        }
    }

    /// Adds a shape to a surface.
    private mutating func add(
        _ instance: LayerInstance, _ draw: SurfacePlan.Draw, _ clips: [LayerClip], covering pixels: PixelRectangle, to surface: SurfacePlan
    ) {
        var (instance, draw) = (instance, draw)
        (instance.firstClip, instance.clipCount) = (UInt32(drawing.clips.count), UInt32(clips.count))
        drawing.clips += clips
        draw.instance = drawing.instances.count
        drawing.instances.append(instance)
        drawing.shapeCount += 1
        surface.add(draw, covering: pixels)
    }

    /// Returns the number of texels per point of a surface of `bounds`. Tilted layers use steps, so that a small rotation does not recreate the surface.
    private func surfaceScale(_ pixelFromPlane: Homography, over bounds: Rectangle) -> Double {
        let (a, b, middle) = (SIMD2<Double>(bounds.minimum), SIMD2<Double>(bounds.maximum), SIMD2<Double>(bounds.center))
        var wanted = 0.0
        for point in [middle, a, b, SIMD2(a.x, b.y), SIMD2(b.x, a.y)] { wanted = max(wanted, pixelFromPlane.scale(at: point) ?? 0) }
        if pixelFromPlane.isUpright { return wanted }
        for step in [0.25, 0.5, 0.75, 1, 1.5, 2, 3] where wanted <= step * screenScale * 1.1 { return step * screenScale }
        return 4 * screenScale
    }
}

// MARK: - Groups

extension LayerPlanner {
    /// Draws a layer with its sublayers into a surface, applies the passes of the group, and composites the surface.
    ///
    /// For opacity, masks and blend modes, the surface has the pixels of its target and is not resampled. Effects, blur and shadow are computed in
    /// the plane of the layer.
    private mutating func isolate(_ layer: Layer, on plane: Plane, _ planeFromPixel: Homography) throws(LayerError) {
        guard layer.blur > 0 || layer.shadow != nil || layer.hasEffects else {
            let surface = SurfacePlan(limit: plane.surface.limit, scale: plane.surface.scale, offset: plane.surface.offset)
            try fill(surface, with: layer, Plane(surface: surface, pixelFromPlane: plane.pixelFromPlane), planeFromPixel)
            composite(surface, opacity: layer.opacity, layer.blendMode, .identity, .identity, on: plane)
            return
        }
        let (scale, offset) = grid(of: layer, on: plane)
        let pixelFromLayer = Homography(scale: scale, offset: offset)
        guard let layerFromPixel = pixelFromLayer.inverse else { return }
        let limit = visible(from: plane.surface.limit, pixelFromLayer * planeFromPixel).grown(by: reach(of: layer, scale))
        let surface = SurfacePlan(limit: limit, scale: scale, offset: offset)
        try fill(surface, with: layer, Plane(surface: surface, pixelFromPlane: pixelFromLayer), layerFromPixel)
        composite(
            surface, opacity: layer.opacity, layer.blendMode, plane.pixelFromPlane * layerFromPixel, pixelFromLayer * planeFromPixel,
            on: plane)
    }

    /// Draws the layer into its surface and adds the passes over it.
    private mutating func fill(
        _ surface: SurfacePlan, with layer: Layer, _ plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        if layer.clipsToPath {
            try paintShape(of: layer, opacity: 1, on: plane, planeFromPixel)
            try paintClippedByPath(layer, on: plane, planeFromPixel)
        } else {
            try paintFlattened(layer, opacity: 1, on: plane, planeFromPixel)
        }
        let scale = Float(surface.scale)
        if layer.hasEffects {
            // Effects may colour transparent texels within the layer's bounds.
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

    /// Draws the sublayers of a layer that clips to a path, in a surface with the path as its mask.
    private mutating func paintClippedByPath(_ layer: Layer, on plane: Plane, _ planeFromPixel: Homography) throws(LayerError) {
        guard case .path(let path, let rule) = layer.shape else { return }
        let (limit, scale, offset) = (plane.surface.limit, plane.surface.scale, plane.surface.offset)
        let surface = SurfacePlan(limit: limit, scale: scale, offset: offset)
        let cut = SurfacePlan(limit: limit, scale: scale, offset: offset)
        try paint(layer.sublayers, from: layer.sublayerMatrix, on: Plane(surface: surface, pixelFromPlane: plane.pixelFromPlane))
        try paintPath(
            path, rule, of: layer, as: .color(.white), on: Plane(surface: cut, pixelFromPlane: plane.pixelFromPlane), planeFromPixel)
        surface.steps.append(.mask(cut))
        composite(surface, opacity: 1, .normal, .identity, .identity, on: plane)
    }

    /// Composites a surface into another one.
    private mutating func composite(
        _ surface: SurfacePlan, opacity: Float, _ blend: BlendMode, _ targetFromSurface: Homography, _ surfaceFromTarget: Homography,
        on plane: Plane
    ) {
        let region = surface.region
        guard !region.isEmpty else { return }
        let pixels = PixelRectangle(around: targetFromSurface.map(region.corners), margin: 1).intersection(plane.surface.limit)
        guard !pixels.isEmpty else { return }
        var instance = LayerInstance()
        instance.setMaps(targetFromSurface, surfaceFromTarget)
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

    /// Returns the pixel of the first texel if texels coincide with pixels, for `Parts.Texture.texels`; otherwise nil.
    ///
    /// - Parameters:
    ///   - origin: The origin of the texture in its plane.
    ///   - scale: The number of texels per unit of the plane.
    private static func texels(from origin: SIMD2<Double>, scale: Double, _ pixelFromPlane: Homography) -> Vector4? {
        guard pixelFromPlane.isUpright, abs(pixelFromPlane.u.x / pixelFromPlane.one.z - scale) < scale * 1e-9 else { return nil }
        guard let first = pixelFromPlane.map(origin) else { return nil }
        let whole = first.rounded(.toNearestOrAwayFromZero)
        guard abs(first.x - whole.x) < 1e-3, abs(first.y - whole.y) < 1e-3, max(abs(whole.x), abs(whole.y)) < 1e6 else { return nil }
        return Vector4(Float(whole.x), Float(whole.y), 0, 0)
    }

    // MARK: Surfaces in the plane of a layer

    /// Returns the map from points to texels. If the layer is upright, texels coincide with pixels.
    private func grid(of layer: Layer, on plane: Plane) -> (scale: Double, offset: SIMD2<Double>) {
        let h = plane.pixelFromPlane
        let scale = surfaceScale(h, over: layer.bounds)
        guard h.isUpright else { return (scale, SIMD2(0, 0)) }
        let origin = SIMD2(h.one.x, h.one.y) / h.one.z
        // Rounded to invisible steps, so that a layer that moves by whole pixels keeps its surface.
        return (scale, ((origin - origin.rounded(.down)) * 4096).rounded(.toNearestOrAwayFromZero) / 4096)
    }

    /// Returns the visible part of the layer's plane, in pixels of its surface.
    private func visible(from limit: PixelRectangle, _ surfaceFromTarget: Homography) -> PixelRectangle {
        let corners = surfaceFromTarget.map(limit.corners)
        // Limited to the size of textures for planes that extend to the horizon.
        let greatest = PixelRectangle(x: -4096, y: -4096, width: 8192, height: 8192)
        let all = PixelRectangle(around: corners, margin: 2)
        if all.width <= 8192, all.height <= 8192 { return all }
        let part = all.intersection(greatest)
        return part.isEmpty ? PixelRectangle(x: all.x, y: all.y, width: min(all.width, 8192), height: min(all.height, 8192)) : part
    }

    /// Returns the distance in pixels over which the steps of a layer spread colour into the visible part.
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

// MARK: - Cells

/// Draws large shapes in cells, so that coverage is computed only near edges.
///
/// A cell whose corners are all inside the shape and off its stroke is fully covered, because shapes are convex; the same applies to clips. Adjacent
/// cells have exactly the same corners, so that every pixel belongs to one cell.
extension LayerPlanner {
    /// Shapes with fewer pixels are drawn as one piece.
    private static let leastPixels = 128 * 128

    /// Adds a box or an ellipse on `plane`, in cells if that is faster.
    private mutating func addInCells(
        _ instance: LayerInstance, _ draw: SurfacePlan.Draw, _ clips: [LayerClip], covering pixels: PixelRectangle, to plane: Plane
    ) {
        guard renderer.usesOptimizations, plane.left.isEmpty, draw.parts.blend == .normal, draw.parts.outline != .mask,
            pixels.width * pixels.height >= Self.leastPixels,
            let grid = CellGrid(instance, draw.parts.outline, clips, plane.pixelFromPlane)
        else { return add(instance, draw, clips, covering: pixels, to: plane.surface) }
        let count = drawing.shapeCount
        // Cells of one kind are drawn together. Their order does not matter, because their pixels are disjoint.
        for isInside in [false, true] {
            for piece in grid.pieces where piece.cell.isInside == isInside {
                if isInside, !instance.paintsInside { continue }
                var (part, own) = (instance, draw)
                part.piece = piece.bounds
                if isInside {
                    own.parts.outline = .inside
                    part.strokeGradient = 0
                }
                add(part, own, clips.enumerated().filter { piece.cell.clips & 1 << $0.offset != 0 }.map { $0.element }, to: plane.surface)
            }
        }
        drawing.shapeCount = count + 1
        plane.surface.cover(pixels)
    }

    private mutating func add(_ instance: LayerInstance, _ draw: SurfacePlan.Draw, _ clips: [LayerClip], to surface: SurfacePlan) {
        add(instance, draw, clips, covering: .zero, to: surface)
    }
}

extension LayerInstance {
    /// Whether the shape has a fill off its stroke.
    fileprivate var paintsInside: Bool { fill != Vector4() || fillGradient != 0 }
}

// MARK: - Paths

extension LayerPlanner {
    /// Draws a path. Its coverage is computed on the processor at its projected position and cached until the position changes.
    private mutating func paintPath(
        _ path: Path, _ rule: FillRule, of layer: Layer, opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        guard let outline = PathOutline(path, rule, layer) else { return }
        if layer.fill != nil, let stroke = layer.stroke, opacity < 1 || outline.joining(of: stroke) != .over {
            let surface = SurfacePlan(limit: plane.surface.limit, scale: plane.surface.scale, offset: plane.surface.offset)
            try paint(outline, opacity: 1, on: Plane(surface: surface, pixelFromPlane: plane.pixelFromPlane), planeFromPixel)
            composite(surface, opacity: opacity, .normal, .identity, .identity, on: plane)
        } else {
            try paint(outline, opacity: opacity, on: plane, planeFromPixel)
        }
    }

    /// Draws the fill, then the stroke.
    private mutating func paint(
        _ outline: PathOutline, opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        let layer = outline.layer
        if let fill = layer.fill { try paint(fill, through: nil, outline, opacity, on: plane, planeFromPixel) }
        guard let stroke = layer.stroke, stroke.width > 0, stroke.width.isFinite else { return }
        switch stroke.paint {
        case .color(let color): try paint(.color(color), through: stroke, outline, opacity, on: plane, planeFromPixel)
        case .gradient(let gradient): try paint(.gradient(gradient), through: stroke, outline, opacity, on: plane, planeFromPixel)
        }
    }

    /// Fills a path with another fill than that of the layer.
    private mutating func paintPath(
        _ path: Path, _ rule: FillRule, of layer: Layer, as fill: Fill, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        guard let outline = PathOutline(path, rule, layer) else { return }
        try paint(fill, through: nil, outline, 1, on: plane, planeFromPixel)
    }

    /// Fills the path, or the area of its stroke.
    private mutating func paint(
        _ fill: Fill, through stroke: Stroke?, _ outline: PathOutline, _ opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        guard let found = try mask(of: outline, stroke: stroke, on: plane) else { return }
        var instance = found.0
        instance.setInverseMap(planeFromPixel)
        instance.outline.w = opacity
        var draw = SurfacePlan.Draw(parts: .init(), source: .none, page: Int(instance.mask.z), blend: .normal, instance: 0)
        draw.parts.outline = .mask
        (draw.mask, draw.isStroke) = (outline.layer.outlineToken, stroke != nil)
        if let stroke { draw.joining = outline.joining(of: stroke) }
        var clips = plane.clips
        try paint(fill, of: outline.layer, &instance, &draw, &clips, plane, planeFromPixel)
        add(instance, draw, clips, covering: found.1, to: plane.surface)
    }

    /// Returns an instance with the mask of a path or of its stroke, and its pixels; nil if it is outside the surface.
    private func mask(
        of outline: PathOutline, stroke: Stroke?, on plane: Plane
    ) throws(LayerError) -> (LayerInstance, PixelRectangle)? {
        let h = plane.pixelFromPlane
        let reach = stroke.map { PathOutline.reach(of: $0) } ?? 0
        let (low, high) = (SIMD2<Double>(outline.box.minimum) - reach, SIMD2<Double>(outline.box.maximum) + reach)
        let corners = [low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]
        let region = PixelRectangle(around: h.map(corners), margin: 0.5).intersection(plane.surface.limit)
        guard !region.isEmpty, region.width <= 16_384, region.height <= 16_384 else { return nil }
        let own = Homography(scale: 1, offset: SIMD2(-Double(region.x), -Double(region.y))) * h
        let token = outline.layer.outlineToken
        let key = MaskAtlas.Key(
            token: ObjectIdentifier(token), part: stroke.map { outline.joining(of: $0) }, u: own.u, v: own.v, one: own.one,
            width: region.width,
            height: region.height)
        let position: MaskAtlas.Position
        if let known = renderer.masks.position(of: key) {
            position = known
        } else {
            var scale = h.scale(at: (low + high) / 2) ?? 0
            for corner in corners { scale = max(scale, h.scale(at: corner) ?? 0) }
            let bytes = try outline.coverage(stroke, h, region, scale: max(scale, 1e-6))
            position = try attempting("uploading a path") { () throws(GPUError) in try renderer.masks.add(bytes, key, token) }
        }
        var instance = LayerInstance()
        let size = Vector2(Float(region.width), Float(region.height)) / 2
        instance.rectangle = Vector4(lowHalf: Vector2(Float(region.x), Float(region.y)) + size, highHalf: size)
        instance.mask = Vector4(Float(position.x - region.x), Float(position.y - region.y), Float(position.page), 0)
        return (instance, region)
    }
}

extension LayerClip {
    /// Creates a clip to the inside of a layer's shape.
    init(_ layer: Layer, _ localFromPixel: Homography) {
        self.init(
            layer.bounds, radius: layer.drawnCornerRadius, isEllipse: layer.shape == .ellipse, localFromPixel: localFromPixel)
    }

    /// Creates a clip to one side of a line in a plane.
    init(_ cut: DepthOrder.Cut, on pixelFromPlane: Homography) {
        // Lines are transformed by the inverse transpose.
        let inverse = pixelFromPlane.inverse ?? .identity
        let line = SIMD3(dot(inverse.u, cut.line), dot(inverse.v, cut.line), dot(inverse.one, cut.line))
        self.init(halfPlane: line, moreBy: cut.isBehind ? 1 : 0)
    }
}

extension Color {
    /// The colour for drawing: premultiplied, with alpha clamped to 0…1; transparent if a component is not finite.
    var drawn: Vector4 {
        guard linear.isFinite else { return Vector4() }
        var color = self
        color.linear.w = clamp(linear.w, 0, 1)
        return color.premultiplied
    }
}
