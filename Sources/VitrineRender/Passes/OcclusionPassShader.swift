/// The shaders of `OcclusionPass`.
enum OcclusionPassShader {
    private static let common = """
        \(OcclusionUniforms.wgsl)
        @group(0) @binding(0) var<uniform> values: OcclusionUniforms;
        @group(0) @binding(2) var normals: texture_2d<f32>;

        const FAR = 60000.0;

        // In the view frame, ahead is −z.
        fn positionAt(pixel: vec2f, ahead: f32) -> vec3f {
            let clip = vec2f(pixel.x / values.size.x * 2.0 - 1.0, 1.0 - pixel.y / values.size.y * 2.0) - values.center;
            return vec3f(clip * values.rayScale * select(ahead, 1.0, values.isParallel > 0.5), -ahead);
        }

        fn normalAt(p: vec2i) -> vec3f {
            let n = textureLoad(normals, p, 0).xyz * 2.0 - 1.0;
            return normalize(values.viewFromWorld[0] * n.x + values.viewFromWorld[1] * n.y + values.viewFromWorld[2] * n.z);
        }

        """

    /// Jiménez et al. 2016: in planes through the line of sight the two horizons are searched, and the cosine-weighted sky between them
    /// is integrated in closed form.
    static let search =
        common + """
            @group(0) @binding(1) var depthMap: texture_depth_2d;

            const SLICES = 3;
            const STEPS = 4;
            const PI = 3.14159265;

            fn aheadAt(p: vec2i) -> f32 {
                let depth = textureLoad(depthMap, p, 0);
                if (depth <= 0.0) { return FAR; }
                let perspective = values.depthOffset / (depth + values.depthScale);
                return min(select(perspective, (values.depthOffset - depth) / values.depthScale, values.isParallel > 0.5), FAR);
            }

            // Between the line of sight and a horizon at angle h, for a normal that leans by n in the plane.
            fn arc(h: f32, n: f32) -> f32 { return 0.25 * (cos(n) + 2.0 * h * sin(n) - cos(2.0 * h - n)); }

            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let p = vec2i(in.position.xy);
                let ahead = aheadAt(p);
                let last = vec2i(textureDimensions(depthMap)) - 1;
                if (ahead >= FAR) { return vec4f(1.0, FAR, 0.0, 0.0); }
                let radius = values.radius;
                let reach = radius * values.pixelsPerMetre / select(ahead, 1.0, values.isParallel > 0.5);
                if (reach < 1.0) { return vec4f(1.0, ahead, 0.0, 0.0); }
                let position = positionAt(in.position.xy, ahead);
                let view = select(normalize(-position), vec3f(0.0, 0.0, 1.0), values.isParallel > 0.5);
                let normal = normalAt(p);
                // Sixteen turns and four distances in each square of four by four pixels, which are smoothed over together.
                let cell = vec2u(p) & vec2u(3u);
                let turn = fract(f32((cell.x * 4u + cell.y * 7u + (cell.x ^ cell.y) * 5u) & 15u) / 16.0 + values.turn);
                let start = fract(f32((cell.x + 2u * cell.y) & 3u) / 4.0 + 0.125 + values.turn * 0.618);
                var seen = 0.0;
                for (var slice = 0; slice < SLICES; slice++) {
                    let angle = (f32(slice) + turn) * (PI / f32(SLICES));
                    let direction = vec3f(cos(angle), sin(angle), 0.0);
                    let across = direction - view * dot(direction, view);
                    let axis = normalize(cross(direction, view));
                    let inPlane = normal - axis * dot(normal, axis);
                    let size = max(length(inPlane), 1e-4);
                    let lean = sign(dot(across, inPlane)) * acos(clamp(dot(inPlane, view) / size, -1.0, 1.0));
                    // At first the surface's own plane.
                    let lowest = vec2f(cos(lean - 0.5 * PI), cos(lean + 0.5 * PI));
                    var horizon = lowest;
                    for (var step = 0; step < STEPS; step++) {
                        // Denser near the pixel, at least a pixel away.
                        let share = (f32(step) + start) / f32(STEPS);
                        let offset = vec2f(direction.x, -direction.y) * max(share * share * reach, 1.0 + f32(step));
                        for (var side = 0; side < 2; side++) {
                            let neighbour = in.position.xy + select(-offset, offset, side == 1);
                            let q = vec2i(neighbour);
                            if (any(q < vec2i(0)) || any(q > last)) { continue; }
                            let away = positionAt(vec2f(q) + 0.5, aheadAt(q)) - position;
                            let distance = length(away);
                            let weight = saturate(1.0 - distance * distance / (radius * radius));
                            let cosine = mix(lowest[side], dot(away / max(distance, 1e-6), view), weight);
                            horizon[side] = max(horizon[side], cosine);
                        }
                    }
                    let low = lean + max(-acos(clamp(horizon.x, -1.0, 1.0)) - lean, -0.5 * PI);
                    let high = lean + min(acos(clamp(horizon.y, -1.0, 1.0)) - lean, 0.5 * PI);
                    seen += size * (arc(low, lean) + arc(high, lean));
                }
                return vec4f(clamp(seen / f32(SLICES), 0.0, 1.0), ahead, 0.0, 0.0);
            }
            """

    /// Over the squares of turned directions, where the neighbours lie in the pixel's plane.
    static let smoothing =
        common + """
            @group(0) @binding(1) var found: texture_2d<f32>;

            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let p = vec2i(in.position.xy);
                let own = textureLoad(found, p, 0);
                if (own.y >= FAR) { return own; }
                let last = vec2i(textureDimensions(found)) - 1;
                let position = positionAt(in.position.xy, own.y);
                let normal = normalAt(p);
                let thickness = min(0.01 * own.y, 0.15 * values.radius);
                var sum = 0.0;
                var weights = 0.0;
                for (var y = -2; y <= 2; y++) {
                    for (var x = -2; x <= 2; x++) {
                        let q = clamp(p + vec2i(x, y), vec2i(0), last);
                        let other = textureLoad(found, q, 0);
                        // The outermost rows and columns weigh half: four in all, each turn once.
                        var weight = select(1.0, 0.5, abs(x) == 2) * select(1.0, 0.5, abs(y) == 2);
                        let off = abs(dot(positionAt(vec2f(q) + 0.5, other.y) - position, normal));
                        weight *= saturate(2.0 - off / thickness);
                        sum += other.x * weight;
                        weights += weight;
                    }
                }
                return vec4f(sum / max(weights, 1e-4), own.y, 0.0, 0.0);
            }
            """
}
