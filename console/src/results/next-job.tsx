import type { ComponentChildren } from 'preact';
import { navigate } from '../router.ts';
import { jobPath, start, type Request } from '../start.ts';
import { Button } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import type { IconName } from '../ui/icons.tsx';
import { Card, Price, ErrorNotice } from '../ui/parts.tsx';

interface NextJobProps {
  readonly title: string;
  readonly icon: IconName;
  readonly price: string | null;
  readonly request: Request;
  readonly action: string;
  readonly children: ComponentChildren;
}

export function NextJob({ title, icon, price, request, action, children }: NextJobProps) {
  const { isRunning, thrown, run } = useAction();
  return (
    <Card
      title={title}
      icon={icon}
      end={
        <span class="line">
          {price === null ? null : <Price amount={price} />}
          <Button
            look="main"
            disabled={isRunning}
            onClick={() => run(async () => navigate(jobPath(await start(request))))}
          >
            {isRunning ? 'Starting…' : action}
          </Button>
        </span>
      }
    >
      <ErrorNotice thrown={thrown} />
      {children}
    </Card>
  );
}
