import VitrineRender

/// The shader of shapes with fills and strokes, with analytic coverage.
///
/// **Coverage**: A pixel is mapped to the layer's plane by the inverse homography with exact derivatives. The distance to the outline, divided by
/// its gradient on the screen, is the distance in pixels for every tilt. The coverage is the part of the square pixel on the inner side of a
/// straight edge at that distance (`halfPlane`); for two parallel edges it is the difference, so that shapes thinner than a pixel keep their area.
enum LayerShader {
    /// The variants of the shader, each compiled into a pipeline.
    struct Parts: Hashable {
        enum Outline: UInt8 {
            case box, ellipse, mask
            /// A part of a shape inside its outline and off its stroke: fully covered, without computing coverage.
            case inside
        }
        enum Texture: UInt8 {
            case none, sampled
            /// Texels coincide with pixels.
            case texels
        }
        var outline = Outline.box
        var texture = Texture.none
        var hasGradient = false
        /// The blend mode. For modes other than `normal` and `plusLighter`, the backdrop replaces the masks in the bindings.
        var blend = BlendMode.normal
    }

    static func code(_ parts: Parts) -> String {
        layout + coverage + (parts.hasGradient ? gradients : "") + (parts.texture == .sampled ? textures : "")
            + (parts.blend != .normal ? BlendShader.code(parts.blend) : "") + vertex(parts) + fragment(parts)
    }

    private static let layout =
        LayerTarget.wgsl + LayerInstance.wgsl + LayerClip.wgsl + GradientStop.wgsl + """
            @group(0) @binding(0) var<uniform> frame: Frame;
            @group(0) @binding(1) var<storage, read> instances: array<Instance>;
            @group(0) @binding(2) var<storage, read> clips: array<Clip>;
            @group(0) @binding(3) var<storage, read> stops: array<Stop>;
            @group(1) @binding(0) var content: texture_2d<f32>;
            @group(1) @binding(1) var contentSampler: sampler;
            @group(1) @binding(2) var masks: texture_2d<f32>;

            struct Varyings {
                @builtin(position) position: vec4f,
                @location(0) @interpolate(flat) index: u32,
            }

            // A position in a layer's plane, and its derivatives with respect to pixels to the right and down.
            struct PlanePoint { p: vec2f, dx: vec2f, dy: vec2f }

            fn planePoint(a: vec4f, b: vec4f, c: vec4f, pixel: vec2f) -> PlanePoint {
                let h = a.xyz * pixel.x + b.xyz * pixel.y + c.xyz;
                let p = h.xy / h.z;
                return PlanePoint(p, (a.xy - p * a.z) / h.z, (b.xy - p * b.z) / h.z);
            }

            """

    private static let coverage = """
        // The part of a unit square on the inner side of a straight edge: `t` is the distance from its centre to the edge, positive inside, over
        // the length of `gradient`, whose direction is the edge's normal. Exact: two box filters in sequence.
        fn halfPlane(value: f32, gradient: vec2f) -> f32 {
            let size = max(length(gradient), 1e-30);
            let t = value / size;
            let n = abs(gradient) / size;
            let wide = max(n.x, n.y);
            let narrow = min(n.x, n.y);
            let flat = (wide - narrow) * 0.5;
            let reach = (wide + narrow) * 0.5;
            let rest = max(reach - abs(t), 0.0);
            let bent = 0.5 - rest * rest / max(2.0 * wide * narrow, 1e-12);
            let share = select(bent, abs(t) / wide, abs(t) <= flat);
            return 0.5 + sign(t) * min(share, 0.5);
        }

        fn between(value: f32, half: f32, gradient: vec2f) -> f32 {
            return max(halfPlane(half - value, gradient) + halfPlane(half + value, gradient) - 1.0, 0.0);
        }

        // `at` is relative to the box's centre.
        fn boxCoverage(at: PlanePoint, half: vec2f, radius: f32) -> f32 {
            let across = between(at.p.x, half.x, vec2f(at.dx.x, at.dy.x));
            let along = between(at.p.y, half.y, vec2f(at.dx.y, at.dy.y));
            var covered = across * along;
            let q = abs(at.p) - half + radius;
            if (radius > 0.0 && min(q.x, q.y) > 0.0) {
                let distance = length(q);
                let normal = q / distance * sign(at.p);
                covered = min(covered, halfPlane(radius - distance, vec2f(dot(at.dx, normal), dot(at.dy, normal))));
            }
            return covered;
        }

        // The nearest point of an ellipse with these half axes, by iteration: the circle that fits the curve at an estimate gives the next estimate.
        fn nearestOnEllipse(p: vec2f, axes: vec2f) -> vec2f {
            let q = abs(p);
            var t = vec2f(0.70710678);
            for (var i = 0; i < 4; i++) {
                let center = (axes.x * axes.x - axes.y * axes.y) * vec2f(t.x * t.x * t.x, -t.y * t.y * t.y) / axes;
                let r = axes * t - center;
                let d = q - center;
                let scaled = clamp((d * (length(r) / max(length(d), 1e-12)) + center) / axes, vec2f(0.0), vec2f(1.0));
                t = scaled / max(length(scaled), 1e-12);
            }
            return axes * t * select(vec2f(-1.0), vec2f(1.0), p >= vec2f(0.0));
        }

        // The part within `offset` outside the ellipse's outline.
        fn ellipseCoverage(at: PlanePoint, axes: vec2f, offset: f32) -> f32 {
            let grown = axes + offset;
            if (min(grown.x, grown.y) <= 0.0) { return 0.0; }
            let foot = nearestOnEllipse(at.p, axes);
            let normal = normalize(foot / (axes * axes));
            let outside = dot(at.p - foot, normal);
            let covered = halfPlane(offset - outside, vec2f(dot(at.dx, normal), dot(at.dy, normal)));
            // For shapes thinner than a pixel, both sides count.
            let across = between(at.p.x, grown.x, vec2f(at.dx.x, at.dy.x));
            let along = between(at.p.y, grown.y, vec2f(at.dx.y, at.dy.y));
            return min(covered, across * along);
        }

        fn clipped(first: u32, count: u32, pixel: vec2f) -> f32 {
            var kept = 1.0;
            for (var i = first; i < first + count; i++) {
                let clip = clips[i];
                let kind = clip.localFromPixel[0].w;
                if (kind == 2.0) {
                    kept *= halfPlane(dot(clip.rectangle.xy, pixel) + clip.rectangle.z, clip.rectangle.xy);
                } else {
                    var at = planePoint(clip.localFromPixel[0], clip.localFromPixel[1], clip.localFromPixel[2], pixel);
                    at.p -= clip.rectangle.xy;
                    if (kind == 1.0) {
                        kept *= ellipseCoverage(at, clip.rectangle.zw, 0.0);
                    } else {
                        kept *= boxCoverage(at, clip.rectangle.zw, clip.localFromPixel[1].w);
                    }
                }
            }
            return kept;
        }

        """

    private static let gradients = """
        // Converts Oklab to linear Rec. 709 (Ottosson 2020).
        fn linearFromOklab(c: vec3f) -> vec3f {
            let l = c.x + 0.3963377774 * c.y + 0.2158037573 * c.z;
            let m = c.x - 0.1055613458 * c.y - 0.0638541728 * c.z;
            let s = c.x - 0.0894841775 * c.y - 1.2914855480 * c.z;
            let q = vec3f(l * l * l, m * m * m, s * s * s);
            return vec3f(
                dot(q, vec3f(4.0767416621, -3.3077115913, 0.2309699292)), dot(q, vec3f(-1.2684380046, 2.6097574011, -0.3413193965)),
                dot(q, vec3f(-0.0041960863, -0.7034186147, 1.7076147010)));
        }
        fn linearFromEncoded(c: vec3f) -> vec3f {
            let a = abs(c);
            return sign(c) * select(pow((a + 0.055) / 1.055, vec3f(2.4)), a / 12.92, a <= vec3f(0.04045));
        }

        // The location of a position along a gradient; `code`: number of stops, kind << 8, interpolation << 12.
        fn along(p: vec2f, geometry: vec4f, kind: u32) -> f32 {
            if (kind == 0u) { return dot(p - geometry.xy, geometry.zw); }
            let d = p - geometry.xy;
            if (kind == 1u) { return (length(d) - geometry.z) * geometry.w; }
            return fract(atan2(d.y, d.x) * 0.15915494309 - geometry.z);
        }

        fn gradient(p: vec2f, geometry: vec4f, first: u32, code: u32) -> vec4f {
            let t = along(p, geometry, (code >> 8u) & 15u);
            let count = code & 255u;
            var color = stops[first].color;
            for (var i = 1u; i < count; i++) {
                let a = stops[first + i - 1u];
                let b = stops[first + i];
                let span = b.location.x - a.location.x;
                let share = select(clamp((t - a.location.x) / max(span, 1e-9), 0.0, 1.0), f32(t >= b.location.x), span <= 1e-9);
                color = mix(color, b.color, share);
            }
            let mode = code >> 12u;
            if (mode == 1u || color.a <= 0.0) { return color; }
            let straight = color.rgb / color.a;
            return vec4f(select(linearFromEncoded(straight), linearFromOklab(straight), mode == 0u) * color.a, color.a);
        }

        """

    private static let textures = """
        // Several samples along the direction of the strongest minification, at the mip level of the other direction.
        fn textured(at: PlanePoint, map: vec4f) -> vec4f {
            let size = vec2f(textureDimensions(content));
            let uv = at.p * map.xy + map.zw;
            let a = at.dx * map.xy * size;
            let b = at.dy * map.xy * size;
            let aa = dot(a, a);
            let bb = dot(b, b);
            let ab = dot(a, b);
            let mean = (aa + bb) * 0.5;
            let spread = sqrt((aa - bb) * (aa - bb) * 0.25 + ab * ab);
            let longer = sqrt(mean + spread);
            let shorter = sqrt(max(mean - spread, 0.0));
            let turn = select(vec2f(ab, mean + spread - aa), vec2f(mean + spread - bb, ab), aa >= bb);
            let axis = select(vec2f(1.0, 0.0), turn / max(length(turn), 1e-20), length(turn) > 1e-20);
            let step = (a * axis.x + b * axis.y) / size;
            let count = clamp(ceil(longer / max(shorter, 1.0) - 0.01), 1.0, 8.0);
            let level = log2(max(longer / count, 1.0));
            var sum = vec4f(0.0);
            for (var i = 0.0; i < count; i += 1.0) {
                sum += textureSampleLevel(content, contentSampler, uv + step * ((i + 0.5) / count - 0.5), level);
            }
            return sum / count;
        }

        """

    private static func vertex(_ parts: Parts) -> String {
        let corner =
            parts.outline == .mask
            ? "let h = vec3f(item.rectangle.xy + sides * item.rectangle.zw, 1.0);"
            : """
            // The corner of the shape or of a piece. Outer sides are extended by 1.5 pixels, using the derivatives near this corner.
                let half = item.rectangle.zw + item.outline.z;
                let side = select(item.piece.xy, item.piece.zw, sides > vec2f(0.0));
                let isOuter = abs(side) >= half;
                let local = item.rectangle.xy + clamp(side, -half, half);
                let seen = item.pixelFromLocal[0].xyz * local.x + item.pixelFromLocal[1].xyz * local.y + item.pixelFromLocal[2].xyz;
                let w = max(abs(seen.z), 1e-6);
                let u = (item.pixelFromLocal[0].xy - seen.xy / w * item.pixelFromLocal[0].z) / w;
                let v = (item.pixelFromLocal[1].xy - seen.xy / w * item.pixelFromLocal[1].z) / w;
                let area = max(abs(u.x * v.y - u.y * v.x), 1e-12);
                let more = min(1.5 * vec2f(length(v), length(u)) / area, 4.0 * max(half.x, half.y) + vec2f(1e4));
                let grown = local + select(vec2f(0.0), sides * more, isOuter & vec2<bool>(seen.z > 1e-6));
                let h = item.pixelFromLocal[0].xyz * grown.x + item.pixelFromLocal[1].xyz * grown.y + item.pixelFromLocal[2].xyz;
            """
        return """
            @vertex fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32) -> Varyings {
                let item = instances[index];
                // Two triangles: 0 1 2, 2 1 3.
                let number = select(vertex, 6u - vertex, vertex > 2u);
                let sides = vec2f(f32(number & 1u), f32(number >> 1u)) * 2.0 - 1.0;
                \(corner)
                let clip = (h.xy - frame.origin * h.z) * 2.0 / frame.size - h.z;
                return Varyings(vec4f(clip.x, -clip.y, 0.0, h.z), index);
            }

            """
    }

    private static let joined = """
        // The parts of the pixel that only the fill, only the stroke, and both cover.
            let under = fill * (1.0 - stroke.a) + stroke;
            let color = fill * min(inner, within) + under * max(within - inner, 0.0) + stroke * max(outer - within, 0.0);
        """

    private static func texel(_ texture: Parts.Texture) -> String {
        switch texture {
        case .none: ""
        case .sampled: "fill = textured(at, item.texture) * item.fill.a;"
        case .texels: "fill = textureLoad(content, vec2i(floor(pixel) - item.texture.xy), 0) * item.fill.a;"
        }
    }

    private static func fragment(_ parts: Parts) -> String {
        let shares =
            switch parts.outline {
            case .box:
                """
                var centered = at;
                    centered.p -= item.rectangle.xy;
                    let radius = item.outline.x;
                    let within = boxCoverage(centered, item.rectangle.zw, radius);
                    var inner = within;
                    var outer = within;
                    if (item.outline.y > 0.0) {
                        inner = boxCoverage(centered, item.rectangle.zw - item.outline.y, max(radius - item.outline.y, 0.0));
                    }
                    if (item.outline.z > 0.0) {
                        outer = boxCoverage(centered, item.rectangle.zw + item.outline.z, select(0.0, radius + item.outline.z, radius > 0.0));
                    }
                """
            case .ellipse:
                """
                var centered = at;
                    centered.p -= item.rectangle.xy;
                    let within = ellipseCoverage(centered, item.rectangle.zw, 0.0);
                    var inner = within;
                    var outer = within;
                    if (item.outline.y > 0.0) { inner = ellipseCoverage(centered, item.rectangle.zw, -item.outline.y); }
                    if (item.outline.z > 0.0) { outer = ellipseCoverage(centered, item.rectangle.zw, item.outline.z); }
                """
            case .inside:
                """
                let within = 1.0;
                    let inner = 1.0;
                    let outer = 1.0;
                """
            case .mask:
                """
                let within = textureLoad(masks, vec2i(floor(pixel) + item.mask.xy), 0).r;
                    let inner = within;
                    let outer = within;
                """
            }
        let paint =
            parts.hasGradient
            ? """
            if (item.fillGradient != 0u) { fill = gradient(at.p, item.fillGeometry, item.fillStop, item.fillGradient); }
            """ : ""
        let strokePaint =
            parts.hasGradient && parts.outline != .inside
            ? "if (item.strokeGradient != 0u) { stroke = gradient(at.p, item.strokeGeometry, item.strokeStop, item.strokeGradient); }" : ""
        return """
            @fragment fn paint(in: Varyings) -> @location(0) vec4f {
                let item = instances[in.index];
                let pixel = in.position.xy + frame.origin;
                let at = planePoint(item.localFromPixel[0], item.localFromPixel[1], item.localFromPixel[2], pixel);
                \(shares)
                var fill = item.fill;
                var stroke = item.stroke;
                \(paint)
                \(strokePaint)
                \(texel(parts.texture))
                \(parts.outline == .inside ? "let color = fill;" : joined)
                let kept = color * (item.outline.w * clipped(item.firstClip, item.clipCount, pixel));
                return \(parts.blend != .normal ? "blended(kept, textureLoad(masks, vec2i(in.position.xy), 0))" : "kept");
            }
            """
    }
}
