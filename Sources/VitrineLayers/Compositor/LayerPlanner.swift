import VitrineGPU
import VitrineMath
import VitrineScene

/// Turns a tree of layers into pictures to draw: who is where, in which order, and what must be put together apart.
///
/// Sublayers of a flattened layer are not drawn into a picture of their own first: a plane seen on a plane is again a plane, so their
/// matrices are multiplied and they are drawn where they end up, as sharp as can be.
struct LayerPlanner {
    /// Layers may lie on each other this deep.
    static let greatestDepth = 200

    let renderer: LayerRenderer
    var drawing = FrameDrawing()
    /// Pixels a point of the screen: what pictures of layers are drawn at, at least.
    let screenScale: Double
    private var depth = 0

    init(_ renderer: LayerRenderer, screenScale: Double, reusing drawing: FrameDrawing) {
        (self.renderer, self.screenScale) = (renderer, screenScale)
        self.drawing = drawing
        self.drawing.removeAll()
    }

    /// A plane that layers lie on, in the picture that they are drawn into.
    struct Plane {
        var surface: SurfacePlan
        var pixelFromPlane: Homography
        /// What cuts off everything on it.
        var clips: [LayerClip] = []
        /// Corners of what the clips leave at most, in the picture's pixels; empty: everything.
        var left: [SIMD2<Double>] = []
    }

    /// - Parameter size: Of the picture, in pixels.
    mutating func plan(_ root: Layer, width: Int, height: Int) throws(LayerError) -> SurfacePlan {
        let surface = SurfacePlan(limit: PixelRectangle(x: 0, y: 0, width: width, height: height), scale: screenScale)
        try paint([root], from: .identity, on: Plane(surface: surface, pixelFromPlane: Homography(scale: screenScale)))
        return surface
    }

    // MARK: Layers in one 3D space

    /// Draws layers that share one 3D space, which is seen on `plane`, the farthest first.
    ///
    /// - Parameter matrix: What they go through after their own transforms.
    mutating func paint(_ layers: [Layer], from matrix: Matrix4, on plane: Plane) throws(LayerError) {
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
            // Along a cut each pixel must be covered once, not once by each of its layers.
            try isolate(layer, on: own, planeFromPixel)
        } else {
            try paintWhole(layer, opacity: layer.opacity, on: own, planeFromPixel)
        }
    }

    /// The layer's shape, and what lies on it.
    mutating func paintWhole(
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

    mutating func paintShape(
        of layer: Layer, opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        guard layer.fill != nil || layer.stroke != nil else { return }
        if case .path(let path, let rule) = layer.shape {
            return try paintPath(path, rule, of: layer, opacity: opacity, on: plane, planeFromPixel)
        }
        guard layer.hasExtent else { return }
        if layer.stroke?.dashes.isEmpty == false {
            throw .unsupported(layer: layer.name, what: "dashes need a path: Path.roundedRectangle, .ellipse and so on make one")
        }
        let reach = layer.stroke?.reach ?? (inside: 0, outside: 0)
        let extent = Double(reach.outside)
        let low = SIMD2<Double>(layer.bounds.minimum) - extent
        let high = SIMD2<Double>(layer.bounds.maximum) + extent
        let corners = plane.pixelFromPlane.map([low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)])
        let pixels = PixelRectangle(around: corners, margin: 1.5).intersection(plane.surface.limit)
        guard !pixels.isEmpty else { return }

        var instance = LayerInstance()
        instance.place(plane.pixelFromPlane, planeFromPixel)
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

    /// Sets what the fill asks for.
    mutating func paint(
        _ fill: Fill?, of layer: Layer, _ instance: inout LayerInstance, _ draw: inout SurfacePlan.Draw, _ clips: inout [LayerClip],
        _ plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        switch fill {
        case nil: break
        case .color(let color): instance.fill = color.drawn
        case .gradient(let gradient):
            let (first, code, geometry) = drawing.add(gradient, in: layer.bounds)
            (instance.gradients.x, instance.gradients.y, instance.fillGeometry) = (first, code, geometry)
            draw.parts.hasGradient = true
        case .image(let fill):
            let surface = try renderer.images.texture(of: fill.image)
            let place = fill.mode.place(Float(fill.image.width), Float(fill.image.height), in: layer.bounds)
            setTexture(surface, fill.magnification, over: place, &instance, &draw)
            // What the picture doesn't reach stays empty.
            if place.size.x < layer.bounds.size.x || place.size.y < layer.bounds.size.y {
                clips.append(LayerClip(place, radius: 0, isEllipse: false, localFromPixel: planeFromPixel))
            }
        case .drawing(let drawing):
            guard layer.hasExtent else { return }
            let scale = surfaceScale(plane.pixelFromPlane, over: layer.bounds)
            let surface = try renderer.drawings.texture(of: drawing, bounds: layer.bounds, scale: Float(scale), renderer)
            let place = surface.bounds ?? layer.bounds
            setTexture(surface, .linear, over: place, &instance, &draw)
            let texelScale = Double(surface.texture.width) / Double(place.size.x)
            if let texel = Self.texels(from: SIMD2<Double>(place.origin), scale: texelScale, plane.pixelFromPlane) {
                (draw.parts.texture, instance.texture) = (.texels, texel)
            }
        }
    }

    private func setTexture(
        _ surface: CachedTexture, _ filter: FilterMode, over place: Rectangle, _ instance: inout LayerInstance,
        _ draw: inout SurfacePlan.Draw
    ) {
        instance.fill = Vector4(repeating: 1)
        instance.texture = Vector4(lowHalf: 1 / place.size, highHalf: -place.origin / place.size)
        draw.parts.texture = .sampled
        draw.source = .image(surface, filter)
    }

    mutating func paint(_ paint: Stroke.Paint, in bounds: Rectangle, _ instance: inout LayerInstance, _ draw: inout SurfacePlan.Draw) {
        switch paint {
        case .color(let color): instance.stroke = color.drawn
        case .gradient(let gradient):
            let (first, code, geometry) = drawing.add(gradient, in: bounds)
            (instance.gradients.z, instance.gradients.w, instance.strokeGeometry) = (first, code, geometry)
            draw.parts.hasGradient = true
        }
    }

    /// Puts a shape into a picture.
    mutating func add(
        _ instance: LayerInstance, _ draw: SurfacePlan.Draw, _ clips: [LayerClip], covering pixels: PixelRectangle, to surface: SurfacePlan
    ) {
        var (instance, draw) = (instance, draw)
        instance.clips = SIMD4(UInt32(drawing.clips.count), UInt32(clips.count), 0, 0)
        drawing.clips += clips
        draw.instance = drawing.instances.count
        drawing.instances.append(instance)
        drawing.shapeCount += 1
        surface.add(draw, covering: pixels)
    }

    /// Texels a point that a picture of `bounds` needs to be sharp: steps, so that a picture isn't made anew with every little turn.
    func surfaceScale(_ pixelFromPlane: Homography, over bounds: Rectangle) -> Double {
        let (a, b, middle) = (SIMD2<Double>(bounds.minimum), SIMD2<Double>(bounds.maximum), SIMD2<Double>(bounds.center))
        var wanted = 0.0
        for point in [middle, a, b, SIMD2(a.x, b.y), SIMD2(b.x, a.y)] { wanted = max(wanted, pixelFromPlane.scale(at: point) ?? 0) }
        if pixelFromPlane.isUpright { return wanted }
        for step in [0.25, 0.5, 0.75, 1, 1.5, 2, 3] where wanted <= step * screenScale * 1.1 { return step * screenScale }
        return 4 * screenScale
    }
}

extension LayerClip {
    /// The inside of a layer's shape.
    init(_ layer: Layer, _ localFromPixel: Homography) {
        self.init(
            layer.bounds, radius: layer.drawnCornerRadius, isEllipse: layer.shape == .ellipse, localFromPixel: localFromPixel)
    }

    /// One side of a line in a plane.
    init(_ cut: DepthOrder.Cut, on pixelFromPlane: Homography) {
        // Lines go through the inverse, transposed.
        let inverse = pixelFromPlane.inverse ?? .identity
        let line = SIMD3(dot(inverse.u, cut.line), dot(inverse.v, cut.line), dot(inverse.one, cut.line))
        self.init(halfPlane: line, moreBy: cut.isBehind ? 1 : 0)
    }
}

extension Color {
    /// Premultiplied, with alpha in 0…1; nothing where a number is not finite.
    var drawn: Vector4 {
        guard linear.isFinite else { return Vector4() }
        var color = self
        color.linear.w = clamp(linear.w, 0, 1)
        return color.premultiplied
    }
}
